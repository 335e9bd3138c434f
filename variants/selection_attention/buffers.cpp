#include "variants/selection_attention/buffers.h"

namespace ablate::selection_attention {

bound_buffers buffers(checked_problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.heads * p.tokens);
  const auto entries = static_cast<std::size_t>(p.heads * p.blocks() * p.selected);
  const std::size_t blocks = p.is_gated ? static_cast<std::size_t>(p.heads * p.blocks()) : 0;
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far the outputs are from
  // plain attention, and samples.
  return {
      bind("q", p.q, elements, device), bind("k", p.k, elements, device), bind("v", p.v, elements, device),
      bind("table", p.table, sizeof(std::int32_t) * entries, device),
      bind("out", p.out, elements, result, poison), bind("lse", p.lse, 4 * rows, result, poison),
      bind("samples", p.samples, sizeof(sampled_row) * sampled, buffer_role::input),
      bind("found", p.found, sizeof(deviations), finding, poison),
      bind("sampled_out", p.sampled_out, 4 * sampled * width, finding, poison),
      bind("sampled_lse", p.sampled_lse, 4 * sampled, finding, poison),
      bind("reference", p.reference, reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once),
      bind("compressed", p.compressed, 2 * width * blocks, device),
      // Null where there are none: plain attention requires that.
      p.is_gated ? bind("gates", p.gates, 8 * rows, device) : unbound("gates", 0, device)};
}

}  // namespace ablate::selection_attention
