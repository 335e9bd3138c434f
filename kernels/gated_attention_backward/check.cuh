#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/gated_attention_backward/gated_attention_backward.h"

namespace ablate::gated_attention_backward {

/// Phase read_back, but for what the forward pass leaves: S, and the gradients, each from what the part
/// before it left, against plain fp32 arithmetic.
void compare_with_plain(launcher&, const problem&);

}  // namespace ablate::gated_attention_backward
