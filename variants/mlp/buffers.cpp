#include "variants/mlp/buffers.h"

namespace ablate::mlp {
namespace {

/// What cuBLASLt may use: kernels/common/dense/cublaslt.h.
constexpr std::size_t library_workspace_bytes = std::size_t{32} << 20;

}  // namespace

bound_buffers buffers(checked_problem& p) {
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
  return {bind("x", p.x, 2 * rows * c, device),
          bind("gamma", p.gamma, fp32 * c, device),
          bind("beta", p.beta, fp32 * c, device),
          bind("first", p.first, 2 * z * c, device),
          bind("second", p.second, 2 * c * h, device),
          bind("first_bias", p.first_bias, fp32 * z, device),
          bind("second_bias", p.second_bias, fp32 * c, device),
          bind("first_bias_bf16", p.first_bias_bf16, 2 * z, device),
          bind("second_bias_bf16", p.second_bias_bf16, 2 * c, device),
          bind("gradient", p.gradient, backward(2 * rows * c), device),
          bind("z", p.z, backward(2 * rows * z), device),
          bind("y", p.y, forward(2 * rows * c), result, poison),
          bind("input_gradient", p.input_gradient, backward(2 * rows * c), result, poison),
          bind("first_gradient", p.first_gradient, backward(fp32 * z * c), result, poison),
          bind("first_bias_gradient", p.first_bias_gradient, backward(fp32 * z), result, poison),
          bind("second_gradient", p.second_gradient, backward(fp32 * c * h), result, poison),
          bind("second_bias_gradient", p.second_bias_gradient, backward(fp32 * c), result, poison),
          bind("norm_gradient", p.norm_gradient, backward(fp32 * 2 * c), result, poison),
          bind("normed", p.normed, 2 * rows * c, device),
          bind("product", p.product, 2 * rows * z, device),
          bind("hidden", p.hidden, 2 * rows * h, device),
          bind("hidden_gradient", p.hidden_gradient, backward(2 * rows * h), device),
          bind("normed_gradient", p.normed_gradient, backward(2 * rows * c), device),
          bind("partial", p.partial, partial_bytes(p), device),
          bind("workspace", p.workspace, library_workspace_bytes, device),
          bind("moments", p.moments, 2 * sizeof(double) * rows, kept),
          bind("plain_hidden", p.plain_hidden, fp32 * rows * h, kept),
          bind("plain_z_gradient", p.plain_z_gradient, backward(fp32 * rows * z), kept),
          bind("plain_rows", p.plain_rows, backward(sizeof(double) * rows * (2 * c + plain_of_row)), kept),
          bind("samples", p.samples, sizeof(sampled_element) * sampled),
          bind("found", p.found, output_count * sizeof(comparison), finding, poison),
          bind("sampled_out", p.sampled_out, fp32 * sampled, finding, poison)};
}

}  // namespace ablate::mlp
