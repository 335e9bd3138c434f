#pragma once

#include <array>
#include <cstdint>

#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// The arithmetic of a hierarchical search (specification: packed_hash §4.3): an out row looks first for the
/// cells of `edge`³ voxels in which its offsets lie.

/// Rounds down, also below zero.
constexpr int floor_divide(int a, int b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The offsets that are searched. A map onto its own rows by an odd kernel needs those before the middle one
/// only: the others have the same pairs, exchanged.
enum class searched_offsets { all, first_half };
inline int count_of(const problem& p, searched_offsets which) {
  return which == searched_offsets::all ? p.offsets() : p.offsets() / 2;
}

struct span {
  int lowest = 0, highest = 0;
};

/// The offsets along one axis, dilated, in voxels. The first half has no positive ones along the first axis
/// that has more than one offset.
span offsets_along(const problem&, int axis, searched_offsets = searched_offsets::all);

/// The cells along one axis in which the offsets of some out row can lie, relative to its own; no fewer are
/// enough for all rows.
struct cell_span : span {
  int cells() const { return highest - lowest + 1; }
};
cell_span cells_of_offsets(const problem&, int axis, int edge, searched_offsets = searched_offsets::all);

/// Those cells along the three axes, multiplied. A search that keeps them as bits of a word needs a box of at
/// most as many.
int cells_around(const problem&, int edge);
constexpr int most_masked_cells = 32;

/// What a hierarchical search meets.
struct coarse_occupancy {
  double cells_per_row = 0;   ///< occupied cells / in rows
  double occupied_cells = 0;  ///< mean of those around an out row, of box_cells
  int box_cells = 1;          ///< cells_around
  double survivor_share = 0;  ///< of all (out row, offset): those whose cell is occupied
};
/// The means over one of each `step` out rows. Fields do not wrap.
coarse_occupancy measure_coarse_occupancy(const problem&, int edge, std::int64_t step);

/// What would be lost if a row searched 2³ cells of 4³ voxels only, of its own cell and one beside it on each
/// axis (specification: packed_hash §7, claim 11). Shares are 0 where there is nothing to share.
struct small_box_losses {
  std::int64_t pairs = 0;              ///< of the rows looked at
  double outside_fixed_box_share = 0;  ///< of the pairs: beyond the one box, of eight, that keeps the most
  double outside_own_box_share = 0;    ///< beyond the box that keeps the most of this very row's
  double queries_beyond_own_box_share = 0;  ///< of the rows: those that lose a pair even so
};
/// Over one of each `step` out rows. Fields do not wrap.
small_box_losses measure_small_boxes(const problem&, std::int64_t step);

}  // namespace ablate::kernel_map
