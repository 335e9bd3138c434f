#pragma once

#include "kernels/hash_table/hashes.cuh"
#include "kernels/kernel_map/coarse_cells.h"
#include "kernels/kernel_map/view.cuh"

namespace ablate::kernel_map {

constexpr int cell_shift = 2, cell_edge = 1 << cell_shift;  ///< S = 4

/// The cell of a voxel: its coordinates divided by S, rounded down.
__device__ inline coordinate cell_of(const coordinate& c) {
  return {c.x, c.y >> cell_shift, c.z >> cell_shift, c.w >> cell_shift};
}

/// The voxel's place in its cell: bit (x · 4 + y) · 4 + z.
__device__ inline int place_in_cell(const coordinate& c) {
  constexpr int low = cell_edge - 1;
  return ((c.y & low) * cell_edge + (c.z & low)) * cell_edge + (c.w & low);
}

/// The cells around one that the offsets of a kernel reach: −c … c on each axis.
struct cell_box {
  int reach[3];

  __host__ __device__ int cells() const {
    return (2 * reach[0] + 1) * (2 * reach[1] + 1) * (2 * reach[2] + 1);
  }
  __host__ __device__ int index(int x, int y, int z) const {
    return ((x + reach[0]) * (2 * reach[1] + 1) + y + reach[1]) * (2 * reach[2] + 1) + z + reach[2];
  }
  __device__ int3 cell(int i) const {
    const int width_z = 2 * reach[2] + 1, width_y = 2 * reach[1] + 1;
    return {i / width_z / width_y - reach[0], i / width_z % width_y - reach[1], i % width_z - reach[2]};
  }
};

inline cell_box box_of(const problem& p) {
  cell_box box{};
  for (int axis = 0; axis < 3; ++axis) {
    const cell_span span = cells_of_offsets(p, axis, cell_edge);
    box.reach[axis] = -span.lowest > span.highest ? -span.lowest : span.highest;
  }
  return box;
}

/// A neighboring cell as the table knows it. Coordinates have 18 bits, so cells have 16 and wrap as voxels
/// do: a cell beyond the range is nowhere in the table when voxels are guarded.
__device__ inline coordinate neighbor(const coordinate& cell, int x, int y, int z, bool guards) {
  const auto around = [&](int value) {
    return guards ? value : static_cast<int>(((value & 0xffff) ^ 0x8000) - 0x8000);
  };
  return {cell.x, around(cell.y + x), around(cell.z + y), around(cell.w + z)};
}

/// The table of occupied cells: packed keys by linear probing, and the number of each cell.
struct cell_table {
  unsigned long long* keys;
  std::int32_t* ids;
  unsigned mask;

  explicit cell_table(const scratch& s)
      : keys(reinterpret_cast<unsigned long long*>(s.coarse_keys)),
        ids(s.coarse_ids),
        mask(static_cast<unsigned>(s.coarse_slots - 1)) {}

  /// The slot of a cell, which is put in if it is not there; `mine`: it was not.
  __device__ unsigned put(const coordinate& cell, bool& mine) {
    const unsigned long long key = hash_table::pack(cell);
    unsigned slot = hash_table::splitmix::of(cell) & mask;
    for (;; slot = (slot + 1) & mask) {
      unsigned long long seen = keys[slot];
      if (seen == 0) seen = atomicCAS(keys + slot, 0ull, key);
      mine = seen == 0;
      if (mine || seen == key) return slot;
    }
  }

  /// The number of a cell, or −1; `looked` takes the slots looked at.
  __device__ int find(const coordinate& cell, unsigned& looked) const {
    const unsigned long long key = hash_table::pack(cell);
    unsigned slot = hash_table::splitmix::of(cell) & mask;
    for (;; slot = (slot + 1) & mask) {
      ++looked;
      const unsigned long long seen = keys[slot];
      if (seen == key) return ids[slot];
      if (seen == 0) return -1;
    }
  }
};

}  // namespace ablate::kernel_map
