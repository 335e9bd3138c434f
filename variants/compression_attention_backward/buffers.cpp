#include "variants/compression_attention_backward/buffers.h"

namespace ablate::compression_attention_backward {

using window_attention::sampled_row;

bound_buffers buffers(checked_problem& p) {
  window_attention_backward::problem& g = p.gradients;
  window_attention::problem& a = g.attention;
  const auto elements = 2 * static_cast<std::size_t>(a.elements());
  const auto rows = 4 * static_cast<std::size_t>(a.batches * a.tokens);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  return {
      bind("q", a.q, elements, device), bind("k", a.k, elements, device), bind("v", a.v, elements, device),
      bind("out_gradient", g.out_gradient, elements, device),
      // Computed once, by the plain forward pass.
      bind("out", a.out, elements, device), bind("lse", a.lse, rows, device),
      bind("plain_delta", p.plain_delta, rows, device),
      // Too large for the host: the check reads their deviation from plain gradients, and samples.
      bind("q_gradient", g.q_gradient, elements, result, poison),
      bind("k_gradient", g.k_gradient, elements, result, poison),
      bind("v_gradient", g.v_gradient, elements, result, poison),
      bind("samples", p.samples, 2 * sizeof(sampled_row) * sampled),
      bind("found", p.found, sizeof(window_attention_backward::deviations), finding, poison),
      bind("sampled_gradients", p.sampled_gradients, 3 * sizeof(float) * sampled * width, finding, poison),
      bind("reference", p.reference, reference_bytes(g), buffer_role::reference, buffer_reset::zeros_once),
      bind("scratch", g.scratch, scratch_bytes(g), device, poison)};
}

}  // namespace ablate::compression_attention_backward
