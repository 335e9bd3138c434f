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
  const auto device = buffer_role::scratch, output = buffer_role::output;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far Y is from plain
  // arithmetic, and samples.
  return {{"x", 2 * rows * c, device},
          {"gamma", sizeof(float) * c, device},
          {"beta", sizeof(float) * c, device},
          {"first", 2 * z * c, device},
          {"second", 2 * c * h, device},
          {"first_bias", sizeof(float) * z, device},
          {"second_bias", sizeof(float) * c, device},
          {"first_bias_bf16", 2 * z, device},
          {"second_bias_bf16", 2 * c, device},
          {"y", 2 * rows * c, device, poison},
          {"normed", 2 * rows * c, device},
          {"product", 2 * rows * z, device},
          {"hidden", 2 * rows * h, device},
          {"workspace", library_workspace_bytes, device},
          {"moments", 2 * sizeof(double) * rows, buffer_role::reference},
          {"plain_hidden", sizeof(float) * rows * h, buffer_role::reference},
          {"samples", sizeof(sampled_element) * sampled},
          {"found", sizeof(comparison), output, poison},
          {"sampled_out", sizeof(float) * sampled, output, poison}};
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
  p.y = bf16(y);
  p.normed = bf16(normed);
  p.product = bf16(product);
  p.hidden = bf16(hidden);
  p.workspace = addresses[workspace];
  p.moments = static_cast<double*>(addresses[moments]);
  p.plain_hidden = fp32(plain_hidden);
  p.samples = static_cast<const sampled_element*>(addresses[samples]);
  p.found = static_cast<comparison*>(addresses[found]);
  p.sampled_out = fp32(sampled_out);
}

}  // namespace ablate::mlp
