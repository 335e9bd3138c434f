#include "variants/window_attention_backward/buffers.h"

namespace ablate::window_attention_backward {

using window_attention::sampled_row;

std::vector<buffer> buffers(const problem& p) {
  const window_attention::problem& a = p.attention;
  const auto elements = 2 * static_cast<std::size_t>(a.elements());
  const auto rows = 4 * static_cast<std::size_t>(a.batches * a.tokens * a.heads);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const auto index = window_attention::index_buffers(a);
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"out_gradient", elements, device},
          {"scope", sizeof(std::uint32_t) * static_cast<std::size_t>(a.tokens / a.bucket), input},
          // Computed once, by the plain forward pass.
          {"out", elements, device},
          {"lse", rows, device},
          {"plain_delta", rows, device},
          // Too large for the host: the check reads their deviation from plain gradients, and samples.
          {"q_gradient", elements, result, poison},
          {"k_gradient", elements, result, poison},
          {"v_gradient", elements, result, poison},
          {"samples", 2 * sizeof(sampled_row) * sampled, input},
          {"found", sizeof(deviations), finding, poison},
          {"sampled_gradients", gradients.size() * 4 * sampled * static_cast<std::size_t>(a.width), finding,
           poison},
          {"reference", reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once},
          {"scratch", scratch_bytes(p), device, poison},
          {"kept_sums", kept_memory_bytes(p), device, buffer_reset::zeros_once},
          index[0],
          index[1],
          index[2],
          index[3],
          {"moved", moved_rows_bytes(p), device, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  const auto elements = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  p.attention.q = elements(q);
  p.attention.k = elements(k);
  p.attention.v = elements(v);
  p.attention.scope = static_cast<const std::uint32_t*>(addresses[scope]);
  p.attention.out = elements(out);
  p.attention.lse = static_cast<float*>(addresses[lse]);
  p.out_gradient = elements(out_gradient);
  p.plain_delta = static_cast<const float*>(addresses[plain_delta]);
  p.q_gradient = elements(q_gradient);
  p.k_gradient = elements(k_gradient);
  p.v_gradient = elements(v_gradient);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviations*>(addresses[found]);
  p.sampled_gradients = static_cast<float*>(addresses[sampled_gradients]);
  p.reference = addresses[reference];
  p.scratch = addresses[scratch];
  p.kept_sums = addresses[kept_sums];
  window_attention::attach_index(p.attention,
                                 addresses.subspan(row_of_token, window_attention::buffers_of_index));
  p.moved = addresses[moved];
}

}  // namespace ablate::window_attention_backward
