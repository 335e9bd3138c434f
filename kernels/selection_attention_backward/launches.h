#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

// The launch function of selection_attention_backward, and its form in two passes for layers.

namespace ablate::selection_attention_backward {

// gradients.cu
void differentiate(launcher&, const problem&, const switches&);
void two_pass(launcher&, const problem&, const switches&);

}  // namespace ablate::selection_attention_backward
