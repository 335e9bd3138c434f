#include "variants/window_attention/buffers.h"

namespace ablate::window_attention {

std::vector<buffer> buffers(const problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.batches * p.tokens * p.heads);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const bool is_packed = p.layout == qkv_layout::packed;
  const std::size_t of_split = is_packed ? 0 : elements, of_packed = is_packed ? 3 * elements : 0;
  const std::size_t scattered = p.rows == row_order::scattered ? static_cast<std::size_t>(p.tokens) : 0;
  const auto index = index_buffers(p);
  return {{"q", of_split, device},
          {"k", of_split, device},
          {"v", of_split, device},
          {"scope", sizeof(std::uint32_t) * static_cast<std::size_t>(p.tokens / p.bucket), input},
          // Too large for the host: the check reads their deviation from plain attention, and samples.
          {"out", elements, result, poison},
          {"lse", 4 * rows, result, poison},
          {"samples", sizeof(sampled_row) * sampled, input},
          {"found", sizeof(deviations), finding, poison},
          {"sampled_out", 4 * sampled * static_cast<std::size_t>(p.width), finding, poison},
          {"sampled_lse", 4 * sampled, finding, poison},
          {"reference", reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once},
          {"scratch", scratch_bytes(p), device, poison},
          {"qkv", of_packed, device},
          index[0],
          index[1],
          index[2],
          index[3],
          {"keys", 8 * scattered, input},
          {"moved", moved_rows_bytes(p), device, poison}};
}

void attach(problem& p, std::span<void* const> addresses) {
  p.q = static_cast<const std::uint16_t*>(addresses[q]);
  p.k = static_cast<const std::uint16_t*>(addresses[k]);
  p.v = static_cast<const std::uint16_t*>(addresses[v]);
  p.scope = static_cast<const std::uint32_t*>(addresses[scope]);
  p.out = static_cast<std::uint16_t*>(addresses[out]);
  p.lse = static_cast<float*>(addresses[lse]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<deviations*>(addresses[found]);
  p.sampled_out = static_cast<float*>(addresses[sampled_out]);
  p.sampled_lse = static_cast<float*>(addresses[sampled_lse]);
  p.reference = addresses[reference];
  p.scratch = addresses[scratch];
  if (p.layout == qkv_layout::packed) {
    p.q = static_cast<const std::uint16_t*>(addresses[qkv]);
    const bool described = p.q == nullptr;
    p.k = described ? nullptr : p.q + p.heads * p.width;
    p.v = described ? nullptr : p.q + 2 * p.heads * p.width;
  }
  attach_index(p, addresses.subspan(row_of_token, buffers_of_index));
  if (p.rows == row_order::scattered) p.keys = static_cast<const std::uint64_t*>(addresses[keys]);
  p.moved = addresses[moved];
}

}  // namespace ablate::window_attention
