#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/global_attention/checked_layer.h"
#include "oracles/global_attention_backward/checks.h"

// The launch functions of what the oracles of trained layers share, by the file that defines them.

namespace ablate::global_attention_backward {

// check.cu
/// Gradients among all rows against plain ones, from what the forward pass left.
void compare_among_all(launcher&, const window_attention_backward::checked_problem&);
/// dO.
void make_out_gradient(launcher&, const global_attention::checked_layer&, const std::uint16_t* to);

}  // namespace ablate::global_attention_backward
