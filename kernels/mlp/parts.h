#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/linear/parts.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// All gradients: by cuBLASLt with a launch for the activation's, the biases' by the products or in launches
/// of their own; by cuBLASLt with all that is between its products in one pass; or by mma.sync, the
/// activation's in the product's epilogue.
void library_backward(launcher&, const problem&, bool sums_in_products);
void one_pass_backward(launcher&, const problem&);
/// Scratch of gradients of weights that are computed beside those of rows: of the biases' sums,
/// [32][first_columns()]; for cuBLASLt.
struct memory_beside {
  float* partial = nullptr;
  void* workspace = nullptr;
};
/// library_backward, the biases' sums in launches of their own, but the gradients of all parameters by the
/// second launcher, which waits for what they need; whoever reads these or writes to what they need waits for
/// it.
void library_backward_beside(launcher&, launcher& second, const problem&, const memory_beside&);
/// By mma.sync, the weights' gradients with the biases' by one of kernels/linear's.
void mma_backward(launcher&, const problem&, linear::own_weight_gradient = linear::mma_weight_gradient);
/// As above, with the activation's gradient in a launch of its own.
void mma_backward_in_steps(launcher&, const problem&, linear::own_weight_gradient);

/// dZ, act(Z) and LN(X) from dH, and the gradients of both biases.
void pass_between_products(launcher&, const problem&);

/// Hidden columns that the fused kernels compute before they multiply them.
constexpr int hidden_step = 64;

}  // namespace ablate::mlp
