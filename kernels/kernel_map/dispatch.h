#pragma once

#include <string>
#include <vector>

#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// Rules that choose a variant for a map (specification: packed_hash §4.4 and §9, dispatch rule). They look
/// at the problem's sizes, kernel and output, never at its pointers.

/// How densely the rows lie, as a table of occupied 4³ cells tells.
struct cell_density {
  double cells = 0;           ///< occupied
  double survivor_share = 0;  ///< of all (out row, offset): those whose cell is occupied
};

/// By the published rule: `hierarchical` from 125 offsets on, where all edges are odd, without dilation and
/// when all lists are wanted; else `flat`. Where the offsets reach more than 27 cells, which the published
/// code refuses, `flat`.
std::string published_choice(const problem&);

struct estimated_time {
  std::string variant;
  double us;
};
/// What a map would take on an H200, of the variants that can make it; `flat` first.
std::vector<estimated_time> estimated_times(const problem&, const cell_density&);

/// The variant of the least estimated time.
std::string measured_choice(const problem&, const cell_density&);

/// Whether there are rows of these numbers for which a table of cells is worth its time; if not, the choice
/// is the same for all densities.
bool depends_on_density(const problem&);

}  // namespace ablate::kernel_map
