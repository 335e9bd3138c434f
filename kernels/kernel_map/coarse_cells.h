#pragma once

#include <array>
#include <cstdint>

#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// The arithmetic of a hierarchical search (docs/operations/kernel_map.md, "Hierarchy"): an out row first
/// looks up the cells of `edge`³ voxels that contain its offsets.

constexpr int map_edge = 4;  ///< of the cells with one bit per place in a 64-bit map

/// Rounds down, also for negative values.
constexpr int floor_divide(int a, int b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The offsets to search. A map of rows onto themselves with an odd kernel needs only those before the middle
/// one: the others have the same pairs with in and out symmetric.
enum class searched_offsets { all, first_half };
inline int count_of(const problem& p, searched_offsets which) {
  return which == searched_offsets::all ? p.offsets() : p.offsets() / 2;
}

struct span {
  int lowest = 0, highest = 0;
};

/// The offsets along one axis, dilated, in voxels. The first half has none above zero on the first axis with
/// more than one offset.
span offsets_along(const problem&, int axis, searched_offsets = searched_offsets::all);

/// The cells along one axis that the offsets of an out row can reach, relative to its own cell: the smallest
/// range that covers every row.
struct cell_span : span {
  int cells() const { return highest - lowest + 1; }
};
cell_span cells_of_offsets(const problem&, int axis, int edge, searched_offsets = searched_offsets::all);

/// The number of such cells over the three axes. A search that keeps them as bits of a word is limited to
/// max_masked_cells.
int cells_around(const problem&, int edge);
constexpr int max_masked_cells = 32;

/// What a hierarchical search encounters.
struct coarse_occupancy {
  double cells_per_row = 0;   ///< occupied cells / in rows
  double occupied_cells = 0;  ///< mean around an out row, out of box_cells
  int box_cells = 1;          ///< cells_around
  double survivor_share = 0;  ///< share of all (out row, offset) whose cell is occupied
};
/// Means over one out row in every `step`. Fields do not wrap.
coarse_occupancy measure_coarse_occupancy(const problem&, int edge, std::int64_t step);

/// What would be lost if a row searched only 2³ cells of 4³ voxels, its own and one neighbor per axis (the
/// published statement that claims wcn-11-* test). Shares of nothing are 0.
struct small_box_losses {
  std::int64_t pairs = 0;              ///< of the sampled rows
  double outside_fixed_box_share = 0;  ///< of the pairs: outside the one of eight boxes best for all rows
  double outside_own_box_share = 0;    ///< of the pairs: outside each row's own best box
  double queries_beyond_own_box_share =
      0;  ///< of the rows: those that lose a pair even with their own best box
};
/// Over one out row in every `step`. Fields do not wrap.
small_box_losses measure_small_boxes(const problem&, std::int64_t step);

}  // namespace ablate::kernel_map
