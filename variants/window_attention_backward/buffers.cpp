#include "variants/window_attention_backward/buffers.h"

namespace ablate::window_attention_backward {

using window_attention::sampled_row;

bound_buffers buffers(checked_problem& p) {
  window_attention::problem& a = p.attention;
  const auto elements = 2 * static_cast<std::size_t>(a.elements());
  const auto rows = 4 * static_cast<std::size_t>(a.batches * a.tokens * a.heads);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const auto index = window_attention::index_buffers(a);
  return {
      bind("q", a.q, elements, device),
      bind("k", a.k, elements, device),
      bind("v", a.v, elements, device),
      bind("out_gradient", p.out_gradient, elements, device),
      bind("scope", a.scope, sizeof(std::uint32_t) * static_cast<std::size_t>(a.tokens / a.bucket), input),
      // Computed once, by the plain forward pass.
      bind("out", a.out, elements, device),
      bind("lse", a.lse, rows, device),
      bind("plain_delta", p.plain_delta, rows, device),
      // Too large for the host: the check reads their deviation from plain gradients, and samples.
      bind("q_gradient", p.q_gradient, elements, result, poison),
      bind("k_gradient", p.k_gradient, elements, result, poison),
      bind("v_gradient", p.v_gradient, elements, result, poison),
      bind("samples", p.samples, 2 * sizeof(sampled_row) * sampled, input),
      bind("found", p.found, sizeof(deviations), finding, poison),
      bind("sampled_gradients", p.sampled_gradients,
           gradients.size() * 4 * sampled * static_cast<std::size_t>(a.width), finding, poison),
      bind("reference", p.reference, reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once),
      bind("scratch", p.scratch, scratch_bytes(p), device, poison),
      bind("kept_sums", p.kept_sums, kept_memory_bytes(p), device, buffer_reset::zeros_once),
      index[0],
      index[1],
      index[2],
      index[3],
      bind("moved", p.moved, moved_rows_bytes(p), device, poison),
  };
}

}  // namespace ablate::window_attention_backward
