#include "variants/gated_attention_backward/buffers.h"

#include "kernels/gated_attention_backward/parts.h"
#include "oracles/gated_attention_backward/checked_selection_attention_backward.h"
#include "oracles/gated_attention_backward/checked_window_attention_backward.h"
#include "oracles/gated_attention_backward/findings.h"
#include "variants/gated_attention/buffers.h"

namespace ablate::gated_attention_backward {
namespace {

/// Lists turned around, and what the sparse method alone has beside.
bound_buffers buffers_of_lists(problem& p) {
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  const auto words_of_head = [&](std::int64_t count) {
    return sizeof(std::uint32_t) * static_cast<std::size_t>(p.forward.heads * count);
  };
  const std::size_t turned = p.keeps_blocks() ? words_of_head(p.key_blocks() * p.query_words()) : 0,
                    turned_counts = p.keeps_blocks() ? words_of_head(p.key_blocks()) : 0;
  if (!p.is_sparse())
    return {bind("offsets", p.offsets, 0, device),
            bind("queries", p.queries, 0, device),
            bind("count_memory", p.count_memory, 0, device),
            bind("sort_memory", p.sort_memory, 0, device),
            bind("turned", p.turned, turned, device, poison),
            bind("turned_counts", p.turned_counts, turned_counts, device, poison),
            bind("statistics", p.statistics, 0, device),
            bind("pieces", p.pieces, 0, device)};
  const selection_inversion::problem lists = inversion_of(p);
  return {
      bind("offsets", p.offsets, sizeof(std::int64_t) * static_cast<std::size_t>(lists.rows() + 1), device,
           poison),
      bind("queries", p.queries, sizeof(std::int32_t) * static_cast<std::size_t>(lists.entries()), device,
           poison),
      bind("count_memory", p.count_memory, selection_inversion::count_memory_bytes(lists), device, poison),
      bind("sort_memory", p.sort_memory, selection_inversion::sort_memory_bytes(lists), device, poison),
      bind("turned", p.turned, 0, device),
      bind("turned_counts", p.turned_counts, 0, device),
      bind("statistics", p.statistics, 8 * static_cast<std::size_t>(p.forward.heads * p.forward.tokens),
           device, poison),
      bind("pieces", p.pieces, selection_attention_backward::piece_memory_bytes(selection_of(p, true)),
           device, poison)};
}

}  // namespace

bound_buffers buffers(checked_problem& p) {
  gated_attention::problem& f = p.forward;
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const std::size_t elements = 2 * size(f.elements()), sampled = size(p.forward_checks.sample_count);
  const std::size_t of_tokens = p.is_sparse() ? size(f.heads * f.tokens) : 0,
                    blocks = p.is_sparse() ? size(f.heads * f.blocks()) : 0;
  const auto device = buffer_role::scratch, reference = buffer_role::reference, result = buffer_role::result,
             finding = buffer_role::finding;
  const auto poison = buffer_reset::poison, once = buffer_reset::zeros_once;
  const window_attention_backward::problem compared = compared_rows_of(p);
  bound_buffers all = gated_attention::buffers_of(f, p.forward_checks);
  const auto append = [&all](const bound_buffers& more) { all.insert(all.end(), more.begin(), more.end()); };
  append({bind("selected_out", f.selected_out, 2 * width * of_tokens, device, poison),
          bind("out_gradient", p.out_gradient, elements, device),
          bind("q_gradient", p.gradient[0], elements, result, poison),
          bind("k_gradient", p.gradient[1], elements, result, poison),
          bind("v_gradient", p.gradient[2], elements, result, poison),
          bind("gate_gradients", p.gate_gradients, 8 * of_tokens, result, poison),
          bind("compressed_gradient", p.compressed_gradient, 2 * width * blocks, result, poison),
          bind("pooled_q_gradient", p.pooled_gradient[0], 2 * width * blocks, result, poison),
          bind("pooled_k_gradient", p.pooled_gradient[1], 2 * width * blocks, result, poison),
          bind("pooled_v_gradient", p.pooled_gradient[2], 2 * width * blocks, result, poison),
          bind("moved", p.moved, p.is_sparse() ? moved_rows_bytes(p) : 0, device, poison),
          bind("row_scratch", p.row_scratch, window_attention_backward::scratch_bytes(rows_of(p).gradients),
               device, poison)});
  append(buffers_of_lists(p));
  const std::size_t of_gradients =
      p.is_sparse() ? selection_attention_backward::reference_bytes(checked_selection_of(p, true)) : 0;
  std::size_t of_rows = 0;
  if (p.keeps_blocks())
    cut_kept_reference(p, &of_rows);
  else
    of_rows = window_attention_backward::reference_bytes(compared);
  const std::int64_t deltas = p.keeps_blocks() ? 0 : compared.attention.batches * compared.attention.tokens;
  const std::size_t of_lists = p.is_sparse() && p.knows_keys() ? 4 * size(f.blocks() * f.selected) : 0;
  append({bind("gradient_samples", p.samples, (p.keeps_blocks() ? 1 : 2) * sampled * sizeof(sampled_row)),
          bind("gradients_found", p.found, sizeof(findings), finding, poison),
          bind("sampled_gradients", p.sampled_gradients, gradients * sizeof(float) * sampled * width, finding,
               poison),
          bind("sampled_gates", p.sampled_gates, p.is_sparse() ? sizeof(float) * sampled * (2 + width) : 0,
               finding, poison),
          bind("sampled_lists", p.sampled_lists, of_lists, finding, poison),
          bind("plain_delta", p.plain_delta, sizeof(float) * size(deltas), reference, once),
          bind("gradient_reference", p.gradient_reference, of_gradients, reference, once),
          bind("row_gradient_reference", p.row_reference, of_rows, reference, once)});
  return all;
}

}  // namespace ablate::gated_attention_backward
