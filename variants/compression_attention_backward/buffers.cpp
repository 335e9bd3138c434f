#include "variants/compression_attention_backward/buffers.h"

namespace ablate::compression_attention_backward {

using window_attention::sampled_row;

std::vector<buffer> buffers(const problem& p) {
  const window_attention::problem& a = p.gradients.attention;
  const auto elements = 2 * static_cast<std::size_t>(a.elements());
  const auto rows = 4 * static_cast<std::size_t>(a.batches * a.tokens);
  const auto sampled = static_cast<std::size_t>(p.gradients.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"out_gradient", elements, device},
          // Computed once, by the plain forward pass.
          {"out", elements, device},
          {"lse", rows, device},
          {"plain_delta", rows, device},
          // Too large for the host: the check reads their deviation from plain gradients, and samples.
          {"q_gradient", elements, result, poison},
          {"k_gradient", elements, result, poison},
          {"v_gradient", elements, result, poison},
          {"samples", 2 * sizeof(sampled_row) * sampled},
          {"found", sizeof(window_attention_backward::deviations), finding, poison},
          {"sampled_gradients", 3 * sizeof(float) * sampled * width, finding, poison},
          {"reference", reference_bytes(p.gradients), buffer_role::reference, buffer_reset::zeros_once},
          {"scratch", scratch_bytes(p.gradients), device, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto elements = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  window_attention_backward::problem& g = p.gradients;
  g.attention.q = elements(q);
  g.attention.k = elements(k);
  g.attention.v = elements(v);
  g.out_gradient = elements(out_gradient);
  g.attention.out = elements(out);
  g.attention.lse = static_cast<float*>(addresses[lse]);
  g.plain_delta = static_cast<const float*>(addresses[plain_delta]);
  g.q_gradient = elements(q_gradient);
  g.k_gradient = elements(k_gradient);
  g.v_gradient = elements(v_gradient);
  g.samples = static_cast<const sampled_row*>(addresses[samples]);
  g.found = static_cast<window_attention_backward::deviations*>(addresses[found]);
  g.sampled_gradients = static_cast<float*>(addresses[sampled_gradients]);
  g.reference = addresses[reference];
  g.scratch = addresses[scratch];
}

}  // namespace ablate::compression_attention_backward
