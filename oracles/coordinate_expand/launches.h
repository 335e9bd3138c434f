#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/coordinate_expand/checked_problem.h"

// The launch functions of the oracle of coordinate_expand, by the file that defines them.

namespace ablate::coordinate_expand {

// figures.cu
/// `figures` of store and table, where base row i has number i.
void sum_figures(launcher&, const checked_problem&, const switches&);
/// `figures` where packed keys ascend.
void sum_figures_by_key(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::coordinate_expand
