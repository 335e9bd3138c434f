#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/dense_attention_backward/dense_attention_backward.h"

// The launch functions of dense_attention_backward, by the file that defines them.

namespace ablate::dense_attention_backward {

// train.cu
void train(launcher&, const problem&, const switches&);

}  // namespace ablate::dense_attention_backward
