#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/coordinate_expand/coordinate_expand.h"

// The launch functions of coordinate_expand, by the file that defines them.

namespace ablate::coordinate_expand {

// figures.cu
/// `figures` of store and table, where base row i has number i.
void sum_figures(launcher&, const problem&, const switches&);
/// `figures` where packed keys ascend.
void sum_figures_by_key(launcher&, const problem&, const switches&);

// insert.cu
void cas_first(launcher&, const problem&, const switches&);
void load_first(launcher&, const problem&, const switches&);
void load_first_one_by_one(launcher&, const problem&, const switches&);
void load_first_aggregated(launcher&, const problem&, const switches&);

// insert_by_row.cu
void load_first_by_row(launcher&, const problem&, const switches&);
void warp_deduplicated(launcher&, const problem&, const switches&);

// sort.cu
void sort(launcher&, const problem&, const switches&);

}  // namespace ablate::coordinate_expand
