#pragma once

#include <cstdint>

namespace ablate {

/// A row of a voxel cloud, in the order of its four int32.
struct voxel {
  std::int32_t batch, x, y, z;
  friend bool operator==(const voxel&, const voxel&) = default;
};

// The limits of a packed key of 9 + 18 + 18 + 18 bits.
inline constexpr std::int32_t max_batches = 512;
inline constexpr std::int32_t lowest_coordinate = -131072;
inline constexpr std::int32_t highest_coordinate = 131071;

constexpr bool fits_a_key(const voxel& v) {
  constexpr auto inside = [](std::int32_t c) { return c >= lowest_coordinate && c <= highest_coordinate; };
  return v.batch >= 0 && v.batch < max_batches && inside(v.x) && inside(v.y) && inside(v.z);
}

/// Bit 63 set, then batch (9 bits), x, y, z (18 bits each, two's complement). The voxel must fit a key.
constexpr std::uint64_t key_of(const voxel& v) {
  constexpr auto field = [](std::int32_t c) { return static_cast<std::uint64_t>(c) & 0x3ffff; };
  return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(v.batch) << 54 | field(v.x) << 36 |
         field(v.y) << 18 | field(v.z);
}

constexpr voxel voxel_of_key(std::uint64_t key) {
  constexpr auto coordinate = [](std::uint64_t field) {
    return static_cast<std::int32_t>((field & 0x3ffff) ^ 0x20000) - 0x20000;
  };
  return {static_cast<std::int32_t>(key >> 54 & 0x1ff), coordinate(key >> 36), coordinate(key >> 18),
          coordinate(key)};
}

/// The output mixer of splitmix64 without the generator's increment: a bijection on 64 bits that maps 0 to
/// itself.
constexpr std::uint64_t splitmix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr std::uint64_t inverse_splitmix(std::uint64_t x) {
  x = (x ^ (x >> 31) ^ (x >> 62)) * 0x319642b2d24d8ec3;
  x = (x ^ (x >> 27) ^ (x >> 54)) * 0x96de1b173f119089;
  return x ^ (x >> 30) ^ (x >> 60);
}

namespace morton {

/// Moves bit i of 21 to bit 3i.
constexpr std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

/// Undoes `spread`; the other bits of x do not matter.
constexpr std::uint64_t gather(std::uint64_t x) {
  x &= 0x1249249249249249;
  x = (x | x >> 2) & 0x10c30c30c30c30c3;
  x = (x | x >> 4) & 0x100f00f00f00f00f;
  x = (x | x >> 8) & 0x001f0000ff0000ff;
  x = (x | x >> 16) & 0x001f00000000ffff;
  return (x | x >> 32) & 0x1fffff;
}

}  // namespace morton

/// Orders voxels that fit a key by batch, then along the Morton curve from the lowest corner, x lowest.
constexpr std::uint64_t morton_code(const voxel& v) {
  constexpr auto place = [](std::int32_t c) {
    return morton::spread(static_cast<std::uint64_t>(c - lowest_coordinate));
  };
  return static_cast<std::uint64_t>(v.batch) << 54 | place(v.z) << 2 | place(v.y) << 1 | place(v.x);
}

constexpr voxel voxel_of_morton_code(std::uint64_t code) {
  const std::uint64_t place = code & ((std::uint64_t{1} << 54) - 1);
  constexpr auto coordinate = [](std::uint64_t bits) {
    return static_cast<std::int32_t>(morton::gather(bits)) + lowest_coordinate;
  };
  return {static_cast<std::int32_t>(code >> 54), coordinate(place), coordinate(place >> 1),
          coordinate(place >> 2)};
}

}  // namespace ablate
