#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/selection_attention/checked_problem.h"

// The launch functions of the oracle of selection_attention, by the file that defines them.

namespace ablate::selection_attention {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// `out` and `lse` against plain fp32 attention, which the first call computes, or each
/// (checked_problem::keeps_plain).
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::selection_attention
