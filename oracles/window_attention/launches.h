#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/window_attention/checked_problem.h"

// The launch functions of the oracle of window_attention, by the file that defines them.

namespace ablate::window_attention {

// plain.cu
/// Generates a tensor of the problem's size (generated_inputs.h); rows are `stride` elements apart.
void make_tensor(launcher&, const checked_problem&, const std::uint16_t* at, tensor of, std::int64_t stride);
void make_inputs(launcher&, const checked_problem&, const switches&);
/// All rows of `out` and `lse` against plain fp32 attention, which the first call computes.
void compare_with_plain(launcher&, const checked_problem&, const switches&);
/// compare_with_plain, which is this of whole windows without padding (kernels/window_attention/
/// partial_windows.h).
void compare_partial_windows(launcher&, const checked_problem&, std::int64_t valid);

// sorted.cu
/// Of outputs that hopper_sorted left in the order of the curve.
void compare_sorted(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::window_attention
