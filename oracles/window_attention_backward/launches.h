#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/window_attention_backward/checked_problem.h"

// The launch functions of the oracle of window_attention_backward, by the file that defines them.

namespace ablate::window_attention_backward {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// All rows of the gradients against plain fp32 ones, which the first call computes.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

// sorted.cu
/// Of gradients that hopper_sorted left in the order of the curve.
void compare_sorted(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::window_attention_backward
