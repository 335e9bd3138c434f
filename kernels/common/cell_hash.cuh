#pragma once

#include <bit>
#include <cstdint>

namespace ablate {

/// A hash table of cells in device memory, which gives each cell a slot of its own: linear probing from the
/// top bits of cell · 2654435761 (Knuth's multiplicative hash). There must be more slots than distinct cells,
/// and all keys must be `empty_key` before.
struct cell_hash {
  static constexpr std::uint32_t empty_key = 0xffffffff;

  int* keys;  ///< [slots]: the cell in a slot, or empty_key
  unsigned mask;
  int shift;

  /// `slots` is a power of two, at least 2.
  cell_hash(int* keys, std::int64_t slots)
      : keys(keys),
        mask(static_cast<unsigned>(slots - 1)),
        shift(32 - std::countr_zero(static_cast<std::uint64_t>(slots))) {}

  __device__ unsigned start(int cell) const { return (static_cast<unsigned>(cell) * 2654435761u) >> shift; }
  /// The slot of a cell, claimed by compare-and-swap if necessary. A read first checks that it is empty,
  /// which spares contended slots.
  __device__ int claim(int cell) const {
    constexpr int empty = static_cast<int>(empty_key);
    for (unsigned slot = start(cell);; slot = (slot + 1) & mask) {
      int seen = keys[slot];
      if (seen == empty) seen = atomicCAS(keys + slot, empty, cell);
      if (seen == empty || seen == cell) return static_cast<int>(slot);
    }
  }
  /// The slot of a cell that is in the table.
  __device__ int find(int cell) const {
    unsigned slot = start(cell);
    while (keys[slot] != cell) slot = (slot + 1) & mask;
    return static_cast<int>(slot);
  }
};

}  // namespace ablate
