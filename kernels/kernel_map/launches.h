#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/kernel_map/kernel_map.h"

// The launch functions of kernel_map, by the file that defines them.

namespace ablate::kernel_map {

// by_switches.cu
/// Searches in a table of rows: layout, hash, driver, symmetry, block, list_order, lists.
void row_table(launcher&, const problem&, const switches&);
/// A row table after cells that rule offsets out: prune (cells, own_cells), search, symmetry, coarse_stride.
void hierarchy(launcher&, const problem&, const switches&);
/// A row table after bitmaps of cells: symmetry.
void hierarchy_of_bitmaps(launcher&, const problem&, const switches&);
/// Bitmaps of cells without a table of rows: match, symmetry, numbering.
void bitmaps(launcher&, const problem&, const switches&);

// dispatch.cu
/// Picks one of these by a rule: rule, coarse_stride.
void dispatch(launcher&, const problem&, const switches&);

// sorted.cu
void sorted(launcher&, const problem&, const switches&);

}  // namespace ablate::kernel_map
