#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/coordinate_expand/coordinate_expand.h"

// The launch functions of coordinate_expand, by the file that defines them.

namespace ablate::coordinate_expand {

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
