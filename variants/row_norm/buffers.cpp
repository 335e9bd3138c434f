#include "variants/row_norm/buffers.h"

namespace ablate::row_norm {

std::vector<buffer> buffers(const problem& p) {
  const auto rows = static_cast<std::size_t>(2 * p.elements());
  const std::size_t parameters = sizeof(float) * static_cast<std::size_t>(p.channels);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const auto if_has = [&](row_norm::output of, std::size_t bytes) { return p.has(of) ? bytes : 0; };
  const bool adds = p.kind == kind::residual_layer;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {{"in", rows, device},
          {"branch", adds && !p.is_backward ? rows : 0, device},
          {"gradient", p.is_backward ? rows : 0, device},
          {"sum_gradient", adds && p.is_backward ? rows : 0, device},
          {"gamma", parameters, device},
          {"beta", parameters, device},
          {"mean", p.is_layer() ? 0 : parameters, device},
          {"variance", p.is_layer() ? 0 : parameters, device},
          {"out", if_has(output::out, rows), result, poison},
          {"sum", if_has(output::sum, rows), result, poison},
          {"statistics", if_has(output::statistics, 4 * parameters), result, poison},
          {"input_gradient", if_has(output::input_gradient, rows), result, poison},
          {"branch_gradient", if_has(output::branch_gradient, rows), result, poison},
          {"parameter_gradients", if_has(output::parameter_gradients, 2 * parameters), result, poison},
          {"partial", partial_bytes(p), device},
          {"scaled_branch", adds && !p.is_backward && p.drop > 0 ? rows : 0, device},
          {"plain", plain_bytes(p), buffer_role::reference},
          {"samples", sizeof(sampled_element) * sampled},
          {"found", outputs * sizeof(comparison), finding, poison},
          {"sampled_out", sizeof(float) * sampled, finding, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto bf16 = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  const auto fp32 = [&](place at) { return static_cast<float*>(addresses[at]); };
  p.in = bf16(in);
  p.branch = bf16(branch);
  p.gradient = bf16(gradient);
  p.sum_gradient = bf16(sum_gradient);
  p.gamma = fp32(gamma);
  p.beta = fp32(beta);
  p.mean = fp32(mean);
  p.variance = fp32(variance);
  p.out = bf16(out);
  p.sum = bf16(sum);
  p.statistics = fp32(statistics);
  p.input_gradient = bf16(input_gradient);
  p.branch_gradient = bf16(branch_gradient);
  p.parameter_gradients = fp32(parameter_gradients);
  p.partial = fp32(partial);
  p.scaled_branch = bf16(scaled_branch);
  p.plain = static_cast<double*>(addresses[plain]);
  p.samples = static_cast<const sampled_element*>(addresses[samples]);
  p.found = static_cast<comparison*>(addresses[found]);
  p.sampled_out = fp32(sampled_out);
}

}  // namespace ablate::row_norm
