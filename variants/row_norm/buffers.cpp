#include "variants/row_norm/buffers.h"

namespace ablate::row_norm {

bound_buffers buffers(checked_problem& p) {
  const auto rows = static_cast<std::size_t>(2 * p.elements());
  const std::size_t parameters = sizeof(float) * static_cast<std::size_t>(p.channels);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const auto if_has = [&](row_norm::output of, std::size_t bytes) { return p.has(of) ? bytes : 0; };
  const bool adds = p.kind == kind::residual_layer;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain arithmetic, and samples.
  return {bind("in", p.in, rows, device),
          bind("branch", p.branch, adds && !p.is_backward ? rows : 0, device),
          bind("gradient", p.gradient, p.is_backward ? rows : 0, device),
          bind("sum_gradient", p.sum_gradient, adds && p.is_backward ? rows : 0, device),
          bind("gamma", p.gamma, parameters, device),
          bind("beta", p.beta, parameters, device),
          bind("mean", p.mean, p.is_layer() ? 0 : parameters, device),
          bind("variance", p.variance, p.is_layer() ? 0 : parameters, device),
          bind("out", p.out, if_has(output::out, rows), result, poison),
          bind("sum", p.sum, if_has(output::sum, rows), result, poison),
          bind("statistics", p.statistics, if_has(output::statistics, 4 * parameters), result, poison),
          bind("input_gradient", p.input_gradient, if_has(output::input_gradient, rows), result, poison),
          bind("branch_gradient", p.branch_gradient, if_has(output::branch_gradient, rows), result, poison),
          bind("parameter_gradients", p.parameter_gradients,
               if_has(output::parameter_gradients, 2 * parameters), result, poison),
          bind("partial", p.partial, partial_bytes(p), device),
          bind("scaled_branch", p.scaled_branch, adds && !p.is_backward && p.drop > 0 ? rows : 0, device),
          bind("plain", p.plain, plain_bytes(p), buffer_role::reference),
          bind("samples", p.samples, sizeof(sampled_element) * sampled),
          bind("found", p.found, outputs * sizeof(comparison), finding, poison),
          bind("sampled_out", p.sampled_out, sizeof(float) * sampled, finding, poison)};
}

}  // namespace ablate::row_norm
