#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/gated_attention_backward/checked_problem.h"

// The launch functions of the oracle of gated_attention_backward, by the file that defines them.

namespace ablate::gated_attention_backward {

// check.cu
void make_inputs(launcher&, const checked_problem&, const switches&);
/// Each part, forward and backward, against plain fp32 arithmetic, from what the one before it left.
void compare_parts(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::gated_attention_backward
