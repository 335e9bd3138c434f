#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/window_attention/window_attention.h"

// The launch functions of the oracle of window_attention, by the file that defines them.

namespace ablate::window_attention {

// plain.cu
void make_inputs(launcher&, const problem&, const switches&);
/// All rows of `out` and `lse` against plain fp32 attention, which the first call computes.
void compare_with_plain(launcher&, const problem&, const switches&);

// sorted.cu
/// Of outputs that hopper_sorted left in the order of the curve.
void compare_sorted(launcher&, const problem&, const switches&);

}  // namespace ablate::window_attention
