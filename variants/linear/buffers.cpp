#include "variants/linear/buffers.h"

namespace ablate::linear {
namespace {

/// What cuBLASLt may use: kernels/dense_layers/cublaslt.h.
constexpr std::size_t library_workspace_bytes = std::size_t{32} << 20;

}  // namespace

std::vector<buffer> buffers(const problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows), k = static_cast<std::size_t>(p.inputs),
             n = static_cast<std::size_t>(p.outputs), sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const auto if_has = [&](output of, std::size_t bytes) { return p.has(of) ? bytes : 0; };
  const bool has_gradients = p.has(output::input_gradient) || p.has(output::weight_gradient);
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {{"x", 2 * rows * k, device},
          {"weight", 2 * n * k, device},
          {"bias", sizeof(float) * n, device},
          {"bias_bf16", 2 * n, device},
          {"residual", p.behind == epilogue::residual ? 2 * rows * n : 0, device},
          {"gamma", p.has_norm ? sizeof(float) * k : 0, device},
          {"beta", p.has_norm ? sizeof(float) * k : 0, device},
          {"gradient", has_gradients ? 2 * rows * n : 0, device},
          {"y", if_has(output::y, 2 * rows * static_cast<std::size_t>(p.columns())), result, poison},
          {"input_gradient", if_has(output::input_gradient, 2 * rows * k), result, poison},
          {"weight_gradient", if_has(output::weight_gradient, sizeof(float) * n * k), result, poison},
          {"bias_gradient", if_has(output::weight_gradient, sizeof(float) * n), result, poison},
          {"workspace", library_workspace_bytes, device},
          {"normed", p.has_norm ? 2 * rows * k : 0, device},
          {"product", if_has(output::y, 2 * rows * n), device},
          {"partial", partial_bytes(p), device},
          {"plain", p.has_norm ? 2 * sizeof(double) * rows : 0, buffer_role::reference},
          {"samples", sizeof(sampled_element) * sampled},
          {"found", output_count * sizeof(comparison), finding, poison},
          {"sampled_out", sizeof(float) * sampled, finding, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto bf16 = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  const auto fp32 = [&](place at) { return static_cast<float*>(addresses[at]); };
  p.x = bf16(x);
  p.weight = bf16(weight);
  p.bias = fp32(bias);
  p.bias_bf16 = bf16(bias_bf16);
  p.residual = bf16(residual);
  p.gamma = fp32(gamma);
  p.beta = fp32(beta);
  p.gradient = bf16(gradient);
  p.y = bf16(y);
  p.input_gradient = bf16(input_gradient);
  p.weight_gradient = fp32(weight_gradient);
  p.bias_gradient = fp32(bias_gradient);
  p.workspace = addresses[workspace];
  p.normed = bf16(normed);
  p.product = bf16(product);
  p.partial = fp32(partial);
  p.plain = static_cast<double*>(addresses[plain]);
  p.samples = static_cast<const sampled_element*>(addresses[samples]);
  p.found = static_cast<comparison*>(addresses[found]);
  p.sampled_out = fp32(sampled_out);
}

}  // namespace ablate::linear
