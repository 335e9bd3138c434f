#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/gated_attention_backward/gated_attention_backward.h"

// What makes the inputs of gated_attention_backward and compares its outputs, by the file that defines it.

namespace ablate::gated_attention_backward {

// check.cu
void make_inputs(launcher&, const problem&, const switches&);
/// Each part, forward and backward, against plain fp32 arithmetic, from what the one before it left.
void compare_parts(launcher&, const problem&, const switches&);

}  // namespace ablate::gated_attention_backward
