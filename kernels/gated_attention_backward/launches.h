#pragma once

#include "kernels/common/launch_function.h"
#include "kernels/gated_attention_backward/gated_attention_backward.h"

// The launch functions of gated_attention_backward, by the file that defines them.

namespace ablate::gated_attention_backward {

// layer.cu
void train(launcher&, const problem&, const switches&);

}  // namespace ablate::gated_attention_backward
