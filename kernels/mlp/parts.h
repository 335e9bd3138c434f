#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// All gradients: by cuBLASLt with a launch for the activation's, the biases' by the products or in launches
/// of their own; by cuBLASLt with all that stands between its products in one pass; or by mma.sync, the
/// activation's in the product's epilogue.
void library_backward(launcher&, const problem&, bool sums_in_products);
void one_pass_backward(launcher&, const problem&);
void mma_backward(launcher&, const problem&);

/// dZ, act(Z) and LN(X) from dH, and the gradients of both biases.
void pass_between_products(launcher&, const problem&);

/// How far the outputs are from plain arithmetic.
void compare_with_plain(launcher&, const problem&);

/// Hidden columns that the fused kernels compute before they multiply them.
constexpr int hidden_step = 64;

}  // namespace ablate::mlp
