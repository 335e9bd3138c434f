#include "variants/gated_attention_backward/buffers.h"

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/checked_selection_attention_backward.h"
#include "oracles/gated_attention_backward/checked_window_attention_backward.h"
#include "oracles/gated_attention_backward/findings.h"
#include "variants/gated_attention/buffers.h"
#include "variants/global_attention/buffers.h"
#include "variants/global_attention_backward/buffers.h"

namespace ablate::gated_attention_backward {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Gradients of gates and of pooled rows, and what their own pass takes.
bound_buffers buffers_of_pooled_rows(problem& p) {
  const std::size_t of_tokens = size(p.forward.heads * p.forward.tokens),
                    rows = 2 * width * size(p.forward.heads * p.forward.blocks());
  const auto device = buffer_role::scratch, result = buffer_role::result;
  const auto poison = buffer_reset::poison;
  return {bind("gate_gradients", p.gate_gradients, 8 * of_tokens, result, poison),
          bind("compressed_gradient", p.compressed_gradient, rows, result, poison),
          bind("pooled_q_gradient", p.pooled_gradient[0], rows, result, poison),
          bind("pooled_k_gradient", p.pooled_gradient[1], rows, result, poison),
          bind("pooled_v_gradient", p.pooled_gradient[2], rows, result, poison),
          bind("moved", p.moved, moved_rows_bytes(p), device, poison),
          bind("row_scratch", p.row_scratch, window_attention_backward::scratch_bytes(rows_of(p).gradients),
               device, poison)};
}

/// Lists transposed, and what the selection's gradients take beside.
bound_buffers buffers_of_lists(problem& p) {
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  const list_transpose::problem lists = inversion_of(p);
  return {bind("offsets", p.offsets, sizeof(std::int64_t) * size(lists.rows() + 1), device, poison),
          bind("queries", p.queries, sizeof(std::int32_t) * size(lists.entries()), device, poison),
          bind("count_memory", p.count_memory, list_transpose::count_memory_bytes(lists), device, poison),
          bind("sort_memory", p.sort_memory, list_transpose::sort_memory_bytes(lists), device, poison),
          bind("statistics", p.statistics, 8 * size(p.forward.heads * p.forward.tokens), device, poison),
          bind("pieces", p.pieces, selection_attention_backward::piece_memory_bytes(selection_of(p, true)),
               device, poison)};
}

/// What the comparison finds of samples, and what it takes.
bound_buffers buffers_of_samples(checked_problem& p) {
  const std::size_t sampled = size(p.forward_checks.sample_count);
  const std::size_t of_lists = p.knows_keys() ? 4 * size(p.forward.blocks() * p.forward.selected) : 0;
  const auto finding = buffer_role::finding, reference = buffer_role::reference;
  const auto poison = buffer_reset::poison, once = buffer_reset::zeros_once;
  const window_attention_backward::checked_problem compared = compared_rows_of(p);
  return {bind("sampled_gates", p.sampled_gates, sizeof(float) * sampled * (2 + width), finding, poison),
          bind("sampled_lists", p.sampled_lists, of_lists, finding, poison),
          bind("plain_delta", p.plain_delta,
               sizeof(float) * size(compared.attention.batches * compared.attention.tokens), reference, once),
          bind("gradient_reference", p.gradient_reference,
               selection_attention_backward::reference_bytes(checked_selection_of(p, true)), reference, once),
          bind("row_gradient_reference", p.row_reference,
               window_attention_backward::reference_bytes(compared), reference, once)};
}

}  // namespace

bound_buffers buffers(checked_problem& p) {
  using namespace global_attention_backward;
  const std::int64_t sampled = p.forward_checks.sample_count;
  const auto poison = buffer_reset::poison;
  return global_attention::joined(
      {gated_attention::buffers_of(p.forward, p.forward_checks),
       {bind("selected_out", p.forward.selected_out, 2 * size(p.forward.elements()), buffer_role::scratch,
             poison)},
       gradients_of(p.forward, p),
       buffers_of_pooled_rows(p),
       buffers_of_lists(p),
       samples_of(p, 2 * sampled),
       {bind("gradients_found", p.found, sizeof(findings), buffer_role::finding, poison)},
       sampled_gradients_of(p, sampled),
       buffers_of_samples(p)});
}

}  // namespace ablate::gated_attention_backward
