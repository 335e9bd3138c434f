#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/dense_attention_backward/checked_problem.h"

// The launch functions of the oracle of dense_attention_backward, by the file that defines them.

namespace ablate::dense_attention_backward {

// check.cu
/// Forward and backward against plain fp32 arithmetic.
void compare_parts(launcher&, const checked_problem&, const switches&);
void make_inputs(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::dense_attention_backward
