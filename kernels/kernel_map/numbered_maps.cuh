// Cells numbered and marked in one pass over the rows: see numbered_maps.cu.
#pragma once

#include "kernels/kernel_map/coarse_cells.cuh"

namespace ablate::kernel_map {

/// Slots of a cell's key and its map, later replaced by its number.
struct numbered_map_slots : bitmap_slots {
  static constexpr int nothing = -1;
  __device__ int number(unsigned slot) const { return static_cast<int>(cells[slot].places); }
  __device__ int value(unsigned, const mapped_cell& seen) const { return static_cast<int>(seen.places); }
};
using numbered_maps = cell_set<numbered_map_slots>;

inline numbered_maps numbered_maps_in(const scratch& s) { return {{bitmap_slots_in(s)}}; }

}  // namespace ablate::kernel_map
