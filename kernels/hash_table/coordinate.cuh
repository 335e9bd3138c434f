#pragma once

#include <cstdint>

namespace ablate::hash_table {

/// A voxel as the kernels load it, in one 16-byte access: x, y, z, w are the coordinate's batch, x, y, z.
using coordinate = int4;

/// The 64-bit key: bit 63 set; bits 62 … 54 batch, 53 … 36 x, 35 … 18 y, 17 … 0 z, each field modulo its
/// width. No key is zero.
__device__ inline std::uint64_t pack(const coordinate& c) {
  const auto field = [](int value, unsigned mask, int shift) {
    return static_cast<std::uint64_t>(static_cast<unsigned>(value) & mask) << shift;
  };
  return 1ull << 63 | field(c.x, 0x1ff, 54) | field(c.y, 0x3ffff, 36) | field(c.z, 0x3ffff, 18) |
         field(c.w, 0x3ffff, 0);
}

/// Whether no field of the key would wrap: one comparison per field.
__device__ inline bool in_range(const coordinate& c) {
  constexpr unsigned half = 1u << 17;
  return static_cast<unsigned>(c.x) < 512 && static_cast<unsigned>(c.y) + half < 2 * half &&
         static_cast<unsigned>(c.z) + half < 2 * half && static_cast<unsigned>(c.w) + half < 2 * half;
}

__device__ inline bool equal(const coordinate& a, const coordinate& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

/// The coordinate that the key of `c` encodes: out-of-range fields wrapped.
__device__ inline coordinate wrapped(const coordinate& c) {
  const auto around = [](int value) { return static_cast<int>(((value & 0x3ffff) ^ 0x20000) - 0x20000); };
  return {c.x & 0x1ff, around(c.y), around(c.z), around(c.w)};
}

}  // namespace ablate::hash_table
