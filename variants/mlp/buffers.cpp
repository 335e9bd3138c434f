#include "variants/mlp/buffers.h"

namespace ablate::mlp {
namespace {

/// What cuBLASLt may use: kernels/dense_layers/cublaslt.h.
constexpr std::size_t library_workspace_bytes = std::size_t{32} << 20;

}  // namespace

std::vector<buffer> buffers(const problem& p) {
  const auto rows = static_cast<std::size_t>(p.rows), c = static_cast<std::size_t>(p.channels),
             h = static_cast<std::size_t>(p.hidden_columns()),
             z = static_cast<std::size_t>(p.first_columns()),
             sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, kept = buffer_role::reference, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const std::size_t fp32 = sizeof(float);
  const auto forward = [&](std::size_t bytes) { return p.is_backward ? 0 : bytes; };
  const auto backward = [&](std::size_t bytes) { return p.is_backward ? bytes : 0; };
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {{"x", 2 * rows * c, device},
          {"gamma", fp32 * c, device},
          {"beta", fp32 * c, device},
          {"first", 2 * z * c, device},
          {"second", 2 * c * h, device},
          {"first_bias", fp32 * z, device},
          {"second_bias", fp32 * c, device},
          {"first_bias_bf16", 2 * z, device},
          {"second_bias_bf16", 2 * c, device},
          {"gradient", backward(2 * rows * c), device},
          {"z", backward(2 * rows * z), device},
          {"y", forward(2 * rows * c), result, poison},
          {"input_gradient", backward(2 * rows * c), result, poison},
          {"first_gradient", backward(fp32 * z * c), result, poison},
          {"first_bias_gradient", backward(fp32 * z), result, poison},
          {"second_gradient", backward(fp32 * c * h), result, poison},
          {"second_bias_gradient", backward(fp32 * c), result, poison},
          {"norm_gradient", backward(fp32 * 2 * c), result, poison},
          {"normed", 2 * rows * c, device},
          {"product", 2 * rows * z, device},
          {"hidden", 2 * rows * h, device},
          {"hidden_gradient", backward(2 * rows * h), device},
          {"normed_gradient", backward(2 * rows * c), device},
          {"partial", partial_bytes(p), device},
          {"workspace", library_workspace_bytes, device},
          {"moments", 2 * sizeof(double) * rows, kept},
          {"plain_hidden", fp32 * rows * h, kept},
          {"plain_z_gradient", backward(fp32 * rows * z), kept},
          {"plain_rows", backward(sizeof(double) * rows * (2 * c + plain_of_row)), kept},
          {"samples", sizeof(sampled_element) * sampled},
          {"found", output_count * sizeof(comparison), finding, poison},
          {"sampled_out", fp32 * sampled, finding, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto bf16 = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  const auto fp32 = [&](place at) { return static_cast<float*>(addresses[at]); };
  p.x = bf16(x);
  p.gamma = fp32(gamma);
  p.beta = fp32(beta);
  p.first = bf16(first);
  p.second = bf16(second);
  p.first_bias = fp32(first_bias);
  p.second_bias = fp32(second_bias);
  p.first_bias_bf16 = bf16(first_bias_bf16);
  p.second_bias_bf16 = bf16(second_bias_bf16);
  p.gradient = bf16(gradient);
  p.z = bf16(z);
  p.y = bf16(y);
  p.input_gradient = bf16(input_gradient);
  p.first_gradient = fp32(first_gradient);
  p.first_bias_gradient = fp32(first_bias_gradient);
  p.second_gradient = fp32(second_gradient);
  p.second_bias_gradient = fp32(second_bias_gradient);
  p.norm_gradient = fp32(norm_gradient);
  p.normed = bf16(normed);
  p.product = bf16(product);
  p.hidden = bf16(hidden);
  p.hidden_gradient = bf16(hidden_gradient);
  p.normed_gradient = bf16(normed_gradient);
  p.partial = fp32(partial);
  p.workspace = addresses[workspace];
  p.moments = static_cast<double*>(addresses[moments]);
  p.plain_hidden = fp32(plain_hidden);
  p.plain_z_gradient = fp32(plain_z_gradient);
  p.plain_rows = static_cast<double*>(addresses[plain_rows]);
  p.samples = static_cast<const sampled_element*>(addresses[samples]);
  p.found = static_cast<comparison*>(addresses[found]);
  p.sampled_out = fp32(sampled_out);
}

}  // namespace ablate::mlp
