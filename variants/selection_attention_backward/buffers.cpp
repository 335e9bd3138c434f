#include "variants/selection_attention_backward/buffers.h"

namespace ablate::selection_attention_backward {

bound_buffers buffers(checked_problem& p) {
  const list_transpose::problem lists = inversion_of(p);
  const auto elements = 2 * static_cast<std::size_t>(p.attention.elements());
  const auto rows = static_cast<std::size_t>(p.rows());
  const auto entries = sizeof(std::int32_t) * static_cast<std::size_t>(lists.entries());
  const auto sampled = static_cast<std::size_t>(p.sample_count);
  const std::size_t of_blocks = p.attention.is_gated ? 2 * width * static_cast<std::size_t>(lists.rows()) : 0;
  const std::size_t of_gates = p.attention.is_gated ? 8 * rows : 0;
  const auto device = buffer_role::scratch, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  // Too large for the host: inputs are made on the device, and the check reads how far the gradients are from
  // plain ones, and samples.
  return {
      bind("q", p.attention.q, elements, device), bind("k", p.attention.k, elements, device),
      bind("v", p.attention.v, elements, device), bind("table", p.attention.table, entries, device),
      bind("out", p.attention.out, elements, device), bind("lse", p.attention.lse, 4 * rows, device),
      bind("out_gradient", p.out_gradient, elements, device),
      bind("offsets", p.offsets, sizeof(std::int64_t) * static_cast<std::size_t>(lists.rows() + 1), device),
      bind("queries", p.queries, entries, device),
      bind("count_memory", p.count_memory, list_transpose::count_memory_bytes(lists), device),
      bind("q_gradient", p.q_gradient, elements, result, poison),
      bind("k_gradient", p.k_gradient, elements, result, poison),
      bind("v_gradient", p.v_gradient, elements, result, poison),
      bind("statistics", p.statistics, 8 * rows, device, poison),
      bind("pieces", p.pieces, piece_memory_bytes(p), device, poison),
      bind("query_sums", p.query_sums, 2 * elements, device, poison),
      bind("key_sums", p.key_sums, 4 * elements, device, poison),
      bind("samples", p.samples, sizeof(sampled_row) * 2 * sampled, buffer_role::input),
      bind("found", p.found, sizeof(deviations), finding, poison),
      bind("sampled_gradients", p.sampled_gradients, 3 * 4 * sampled * width, finding, poison),
      bind("reference", p.reference, reference_bytes(p), buffer_role::reference, buffer_reset::zeros_once),
      bind("compressed", p.attention.compressed, of_blocks, device),
      // Null where there are none: plain attention requires that.
      p.attention.is_gated ? bind("gates", p.attention.gates, of_gates, device) : unbound("gates", 0, device),
      bind("gate_gradients", p.gate_gradients, of_gates, result, poison),
      bind("compressed_gradient", p.compressed_gradient, of_blocks, result, poison),
      bind("sampled_gates", p.sampled_gates, 4 * sampled * (2 + width), finding, poison)};
}

}  // namespace ablate::selection_attention_backward
