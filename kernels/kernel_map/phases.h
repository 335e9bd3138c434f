#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// The lists from the dense table [offsets][outs] in scratch: count, sum, scatter. `mirrored`: the table
/// holds the offsets before the middle one only; the middle list is the identity, and the list of an opposite
/// offset is the offset's own with in and out rows exchanged.
void lists_from_dense(launcher&, const problem&, bool mirrored = false);

/// The table of occupied 4³ cells in scratch, and their numbers and coordinates.
void number_all_cells(launcher&, const problem&);

/// scratch.counts → ends (exclusive sums, and the whole behind them); cursors and status to 0, or to
/// map_overflow where the capacity is less than all pairs.
void sum_counts(launcher&, const problem&, bool mirrored = false);

/// Phase read_back: digests of the lists.
void sum_digests(launcher&, const problem&);

}  // namespace ablate::kernel_map
