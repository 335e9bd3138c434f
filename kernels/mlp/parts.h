#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// All gradients: by cuBLASLt with a launch for the activation's; or by mma.sync, that one in the product's
/// epilogue.
void library_backward(launcher&, const problem&);
void mma_backward(launcher&, const problem&);

/// How far the outputs are from plain arithmetic.
void compare_with_plain(launcher&, const problem&);

/// Hidden columns that the fused kernels compute before they multiply them.
constexpr int hidden_step = 64;

}  // namespace ablate::mlp
