#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

// The launch functions of selection_attention_backward, by the file that defines them.

namespace ablate::selection_attention_backward {

// gradients.cu
void two_pass(launcher&, const problem&, const switches&);
void by_key(launcher&, const problem&, const switches&);
void by_query(launcher&, const problem&, const switches&);

}  // namespace ablate::selection_attention_backward
