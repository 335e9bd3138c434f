#pragma once

#include "kernels/hash_table/hashes.cuh"
#include "kernels/kernel_map/forms.h"
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

/// The voxel's place in such a cell: bit (x · 4 + y) · 4 + z.
__device__ inline int place_in_cell(const coordinate& c) {
  constexpr int low = map_edge - 1;
  return ((c.y & low) * map_edge + (c.z & low)) * map_edge + (c.w & low);
}

/// A grid of cells of 2^shift voxels per axis, and the box of cells around one that the offsets reach from
/// some place in it: from `low` on along each axis, numbered row-major.
struct cell_box {
  int shift;
  int first[3], last[3];  ///< offsets searched, in voxels
  int low[3], width[3];

  __host__ __device__ int cells() const { return width[0] * width[1] * width[2]; }
  __host__ __device__ int index(int x, int y, int z) const {
    return ((x - low[0]) * width[1] + y - low[1]) * width[2] + z - low[2];
  }
  __device__ int3 cell(int i) const {
    return {i / width[2] / width[1] + low[0], i / width[2] % width[1] + low[1], i % width[2] + low[2]};
  }

  /// The cell of a voxel: its coordinates divided by the edge, rounded down.
  __device__ coordinate cell_of(const coordinate& c) const {
    return {c.x, c.y >> shift, c.z >> shift, c.w >> shift};
  }
  /// Whether the offsets reach the cells at a distance along an axis from this voxel.
  __device__ bool reaches(int axis, int voxel, int distance) const {
    const int home = voxel >> shift;
    return (voxel + first[axis]) >> shift <= home + distance &&
           home + distance <= (voxel + last[axis]) >> shift;
  }
  __device__ bool reaches(const coordinate& c, const int3& d) const {
    return reaches(0, c.y, d.x) && reaches(1, c.z, d.y) && reaches(2, c.w, d.z);
  }
};

inline cell_box box_of(const problem& p, int edge, searched_offsets which = searched_offsets::all) {
  cell_box box{};
  while (1 << box.shift < edge) ++box.shift;
  for (int axis = 0; axis < 3; ++axis) {
    const span offsets = offsets_along(p, axis, which);
    const cell_span cells = cells_of_offsets(p, axis, edge, which);
    box.first[axis] = offsets.lowest;
    box.last[axis] = offsets.highest;
    box.low[axis] = cells.lowest;
    box.width[axis] = cells.cells();
  }
  return box;
}

/// A neighboring cell, as the table stores it. Coordinates have 18 bits, so cells have fewer and wrap where
/// voxels do; with guards, a cell out of range is simply not in the table.
__device__ inline coordinate neighbor(const coordinate& cell, const int3& d, int shift, bool guards) {
  const int upper_half = 1 << (17 - shift);
  const auto around = [&](int value) {
    return guards ? value : ((value & (2 * upper_half - 1)) ^ upper_half) - upper_half;
  };
  return {cell.x, around(cell.y + d.x), around(cell.z + d.y), around(cell.w + d.z)};
}

/// A set of cells as packed keys, with linear probing. `Slots` has key(slot) → unsigned long long&. At most
/// half of the slots are taken.
template <class Slots>
struct cell_set : Slots {
  /// The slot of a cell, inserted if absent; `mine`: this call inserted it.
  __device__ unsigned put(const coordinate& cell, bool& mine) const {
    const unsigned long long key = hash_table::pack(cell);
    const unsigned mask = this->mask();
    unsigned slot = hash_table::splitmix::of(cell) & mask;
    for (;; slot = (slot + 1) & mask) {
      unsigned long long seen = this->key(slot);
      if (seen == 0) seen = atomicCAS(&this->key(slot), 0ull, key);
      mine = seen == 0;
      if (mine || seen == key) return slot;
    }
  }

  /// The value of a cell, or `Slots::nothing`; adds the slots read to `looked`.
  __device__ auto find(const coordinate& cell, unsigned& looked) const {
    const unsigned long long key = hash_table::pack(cell);
    const unsigned mask = this->mask();
    unsigned slot = hash_table::splitmix::of(cell) & mask;
    for (;; slot = (slot + 1) & mask) {
      ++looked;
      const auto seen = this->look(slot);
      if (seen.key == key) return this->value(slot, seen);
      if (seen.key == 0) return Slots::nothing;
    }
  }
};

struct key_alone {
  unsigned long long key;
};

/// Keys and cell numbers, in separate arrays.
struct numbered_slots {
  static constexpr int nothing = -1;
  unsigned long long* keys;
  std::int32_t* ids;
  unsigned last_slot;

  __device__ unsigned mask() const { return last_slot; }
  __device__ unsigned long long& key(unsigned slot) const { return keys[slot]; }
  __device__ key_alone look(unsigned slot) const { return {keys[slot]}; }
  __device__ int value(unsigned slot, key_alone) const { return ids[slot]; }
};
using cell_table = cell_set<numbered_slots>;

inline cell_table table_of_cells(const scratch& s) {
  return {{reinterpret_cast<unsigned long long*>(s.coarse_keys), s.coarse_ids,
           static_cast<unsigned>(s.coarse_slots - 1)}};
}

/// Key and map, read in one access.
struct alignas(16) mapped_cell {
  unsigned long long key, places;
};

struct bitmap_slots {
  static constexpr unsigned long long nothing = 0;
  mapped_cell* cells;
  unsigned last_slot;

  __device__ unsigned mask() const { return last_slot; }
  __device__ unsigned long long& key(unsigned slot) const { return cells[slot].key; }
  __device__ mapped_cell look(unsigned slot) const {
    const ulonglong2 both = *reinterpret_cast<const ulonglong2*>(cells + slot);
    return {both.x, both.y};
  }
  __device__ unsigned long long value(unsigned, const mapped_cell& seen) const { return seen.places; }
};
using bitmap_table = cell_set<bitmap_slots>;

inline bitmap_slots bitmap_slots_in(const scratch& s) {
  return {reinterpret_cast<mapped_cell*>(s.coarse_maps), static_cast<unsigned>(s.coarse_slots - 1)};
}
inline bitmap_table bitmaps_in(const scratch& s) { return {bitmap_slots_in(s)}; }

/// The phases of a variant with cells, a row table and a dense table; `number()` makes the cells, `search()`
/// the dense table.
template <class Number, class Search>
void run_pruned(launcher& to, const problem& p, searched_offsets which, Number number, Search search) {
  if (p.does(phase::coarse)) number();
  run_phases<packed_rows>(to, p, [&] {
    search();
    outputs_from_dense(to, p, which == searched_offsets::first_half);
  });
}

}  // namespace ablate::kernel_map
