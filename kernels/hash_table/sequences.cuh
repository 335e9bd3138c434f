#pragma once

#include "kernels/hash_table/coordinate.cuh"

namespace ablate::hash_table {

/// Probe sequences: starting at the slot a key hashes to, in strides of `step`, modulo the slots. The
/// sequence is part of a table's type, so a table can only be searched the way it was built.

/// Neighboring slots: several share a sector.
struct linear {
  static constexpr bool neighbors = true;
  __device__ static unsigned step(const coordinate&, unsigned) { return 1; }
};

/// An odd stride from a second hash of the key: every slot is visited, and keys that collide once separate
/// again.
struct double_hash {
  static constexpr bool neighbors = false;
  /// The second hash.
  __device__ static unsigned of(const coordinate& c) {
    std::uint64_t x = pack(c);
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
    return static_cast<unsigned>(x ^ x >> 33);
  }
  __device__ static unsigned step(const coordinate& c, unsigned mask) { return (of(c) & mask) | 1; }
};

}  // namespace ablate::hash_table
