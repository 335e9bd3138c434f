#pragma once

#include <array>
#include <cstdint>

#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// The arithmetic of a hierarchical search (specification: packed_hash §4.3): an out row looks first for the
/// cells of `edge`³ voxels in which its offsets lie.

/// Rounds down, also below zero.
constexpr int floor_divide(int a, int b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The cells along one axis in which the offsets of some out row can lie, relative to its own; no fewer are
/// enough for all rows.
struct cell_span {
  int lowest = 0, highest = 0;
  int cells() const { return highest - lowest + 1; }
};
cell_span cells_of_offsets(const problem&, int axis, int edge);

/// What a hierarchical search meets.
struct coarse_occupancy {
  double cells_per_row = 0;   ///< occupied cells / in rows
  double occupied_cells = 0;  ///< mean of those around an out row, of box_cells
  int box_cells = 1;          ///< cells_of_offsets along the three axes, multiplied
  double survivor_share = 0;  ///< of all (out row, offset): those whose cell is occupied
};
/// The means over one of each `step` out rows. Fields do not wrap.
coarse_occupancy measure_coarse_occupancy(const problem&, int edge, std::int64_t step);

}  // namespace ablate::kernel_map
