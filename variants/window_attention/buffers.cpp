#include "variants/window_attention/buffers.h"

namespace ablate::window_attention {
namespace {

/// Of packed rows: Q, with K and V after it.
void put_packed(problem& p, void* rows) {
  p.q = static_cast<const std::uint16_t*>(rows);
  const bool described = p.q == nullptr;
  p.k = described ? nullptr : p.q + p.heads * p.width;
  p.v = described ? nullptr : p.q + 2 * p.heads * p.width;
}

}  // namespace

bound_buffers buffers(checked_problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.batches * p.tokens * p.heads);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  const bool is_packed = p.layout == qkv_layout::packed;
  const std::size_t of_split = is_packed ? 0 : elements;
  const auto index = index_buffers(p);
  return {
      bind("q", p.q, of_split, device),
      bind("k", p.k, of_split, device),
      bind("v", p.v, of_split, device),
      bind("scope", p.scope, sizeof(std::uint32_t) * static_cast<std::size_t>(p.tokens / p.bucket), input),
      // Too large for the host: the check reads their deviation from plain attention, and samples.
      bind("out", p.out, elements, result, poison),
      bind("lse", p.lse, 4 * rows, result, poison),
      bind("samples", p.samples, sizeof(sampled_row) * sampled, input),
      bind("found", p.found, sizeof(deviations), finding, poison),
      bind("sampled_out", p.sampled_out, 4 * sampled * static_cast<std::size_t>(p.width), finding, poison),
      bind("sampled_lse", p.sampled_lse, 4 * sampled, finding, poison),
      bind("reference", p.reference, reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once),
      bind("scratch", p.scratch, scratch_bytes(p), device, poison),
      is_packed ? bind_by<put_packed>("qkv", p, 3 * elements, device) : unbound("qkv", 0, device),
      index[0],
      index[1],
      index[2],
      index[3],
      p.rows == row_order::scattered ? bind("keys", p.keys, 8 * static_cast<std::size_t>(p.tokens), input)
                                     : unbound("keys", 0),
      bind("moved", p.moved, moved_rows_bytes(p), device, poison),
  };
}

}  // namespace ablate::window_attention
