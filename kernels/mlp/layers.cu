// The MLP as two linear layers. By cuBLASLt: norm, product and bias, activation, product with bias and
// residual, a launch each. Or by products of our own (kernels/linear), by mma.sync or wgmma: in the same
// steps, or each layer in one launch: norm, product, bias and activation; product, bias and residual. The
// hidden layer goes through memory either way; in the last form it is the activated one alone, not Z too.
// Should move: DRAM and L2 bytes, launches.
#include "kernels/linear/parts.h"
#include "kernels/mlp/launches.h"
#include "kernels/mlp/parts.h"

namespace ablate::mlp {

namespace {

linear::problem first_layer(const problem& p) {
  linear::problem layer;
  layer.rows = p.rows;
  layer.inputs = p.channels;
  layer.outputs = p.first_columns();
  layer.behind = p.kind == kind::gelu ? linear::epilogue::gelu_erf : linear::epilogue::swiglu;
  layer.has_norm = true;
  layer.x = p.x;
  layer.gamma = p.gamma;
  layer.beta = p.beta;
  layer.weight = p.first;
  layer.bias = p.first_bias;
  layer.bias_bf16 = p.first_bias_bf16;
  layer.y = p.hidden;
  layer.normed = p.normed;
  layer.product = p.product;
  layer.workspace = p.workspace;
  return layer;
}

linear::problem second_layer(const problem& p) {
  linear::problem layer;
  layer.rows = p.rows;
  layer.inputs = p.hidden_columns();
  layer.outputs = p.channels;
  layer.behind = linear::epilogue::residual;
  layer.x = p.hidden;
  layer.weight = p.second;
  layer.bias = p.second_bias;
  layer.bias_bf16 = p.second_bias_bf16;
  layer.residual = p.x;
  layer.y = p.y;
  layer.workspace = p.workspace;
  return layer;
}

}  // namespace

void library(launcher& to, const problem& p, const switches& s) {
  if (p.is_backward && s.word("launches") == "passes") return one_pass_backward(to, p);
  if (p.is_backward) return library_backward(to, p, s.word("bias_sums") == "products");
  linear::library_forward(to, first_layer(p), true);
  linear::library_forward(to, second_layer(p), true);
}

void fused_act(launcher& to, const problem& p, const switches& s) {
  const bool in_steps = s.word("launches") == "steps", by_warpgroups = s.word("core") == "wgmma";
  if (p.is_backward)
    return (in_steps ? mma_backward_in_steps : mma_backward)(
        to, p,
        s.word("bias_sums") == "own" ? linear::mma_weight_gradient_then_sums : linear::mma_weight_gradient);
  const linear::own_forward plain = by_warpgroups ? linear::hopper_forward : linear::mma_forward,
                            normed =
                                by_warpgroups ? linear::hopper_normed_forward : linear::mma_normed_forward;
  if (in_steps)
    linear::forward_then_finish(to, linear::with_norm_launched(to, first_layer(p)), plain);
  else
    normed(to, first_layer(p));
  plain(to, second_layer(p));
}

}  // namespace ablate::mlp
