#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/selection_attention_backward/checked_problem.h"

// The launch functions of the oracle of selection_attention_backward, by the file that defines them.

namespace ablate::selection_attention_backward {

// plain.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// The gradients against plain fp32 ones, which the first call computes.
void compare_with_plain(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::selection_attention_backward
