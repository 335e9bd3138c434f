#include "variants/linear/buffers.h"

namespace ablate::linear {
namespace {

/// What cuBLASLt may use: kernels/common/dense/cublaslt.h.
constexpr std::size_t library_workspace_bytes = std::size_t{32} << 20;

}  // namespace

bound_buffers buffers(checked_problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows), k = static_cast<std::size_t>(p.inputs),
             n = static_cast<std::size_t>(p.outputs), sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const auto if_has = [&](output of, std::size_t bytes) { return p.has(of) ? bytes : 0; };
  const bool has_gradients = p.has(output::input_gradient) || p.has(output::weight_gradient);
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {
      bind("x", p.x, 2 * rows * k, device),
      bind("weight", p.weight, 2 * n * k, device),
      bind("bias", p.bias, sizeof(float) * n, device),
      bind("bias_bf16", p.bias_bf16, 2 * n, device),
      bind("residual", p.residual, p.behind == epilogue::residual ? 2 * rows * n : 0, device),
      bind("gamma", p.gamma, p.has_norm ? sizeof(float) * k : 0, device),
      bind("beta", p.beta, p.has_norm ? sizeof(float) * k : 0, device),
      bind("gradient", p.gradient, has_gradients ? 2 * rows * n : 0, device),
      bind("y", p.y, if_has(output::y, 2 * rows * static_cast<std::size_t>(p.columns())), result, poison),
      bind("input_gradient", p.input_gradient, if_has(output::input_gradient, 2 * rows * k), result, poison),
      bind("weight_gradient", p.weight_gradient, if_has(output::weight_gradient, sizeof(float) * n * k),
           result, poison),
      bind("bias_gradient", p.bias_gradient, if_has(output::weight_gradient, sizeof(float) * n), result,
           poison),
      bind("workspace", p.workspace, library_workspace_bytes, device),
      bind("normed", p.normed, p.has_norm ? 2 * rows * k : 0, device),
      bind("product", p.product, if_has(output::y, 2 * rows * n), device),
      bind("partial", p.partial, partial_bytes(p), device),
      bind("plain", p.plain, p.has_norm ? 2 * sizeof(double) * rows : 0, buffer_role::reference),
      bind("samples", p.samples, sizeof(sampled_element) * sampled),
      bind("found", p.found, output_count * sizeof(comparison), finding, poison),
      bind("sampled_out", p.sampled_out, sizeof(float) * sampled, finding, poison)};
}

}  // namespace ablate::linear
