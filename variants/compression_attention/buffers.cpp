#include "variants/compression_attention/buffers.h"

namespace ablate::compression_attention {

bound_buffers buffers(checked_problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.heads * p.rows);
  const auto selected = static_cast<std::size_t>(p.selected);
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto input = buffer_role::input, device = buffer_role::scratch, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far outputs and lists are
  // from plain attention, and samples.
  return {
      bind("q", p.q, elements, device),
      bind("k", p.k, elements, device),
      bind("v", p.v, elements, device),
      bind("out", p.out, elements, result, poison),
      bind("lse", p.lse, 4 * rows, result, poison),
      bind("table", p.table, p.lists ? sizeof(std::int32_t) * rows * selected : 0, result, poison),
      bind("scratch", p.scratch, scratch_bytes(p), device, poison),
      bind("samples", p.samples, sizeof(sampled_row) * sampled, input),
      bind("found", p.found, sizeof(findings), finding, poison),
      bind("sampled_out", p.sampled_out, 4 * sampled * width, finding, poison),
      bind("sampled_lse", p.sampled_lse, 4 * sampled, finding, poison),
      bind("sampled_table", p.sampled_table, sizeof(std::int32_t) * sampled * selected, finding, poison),
      bind("reference", p.reference, reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once)};
}

}  // namespace ablate::compression_attention
