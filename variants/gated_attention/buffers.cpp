#include "variants/gated_attention/buffers.h"

#include <algorithm>

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/checked_compression_attention.h"
#include "oracles/gated_attention/checked_selection_attention.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

namespace {

/// Bytes that differ by method; of what a method has no use for, none.
struct method_bytes {
  std::size_t gates = 0, pooled_q = 0, pooled_k = 0, compressed = 0, compressed_lse = 0, table = 0, kept = 0,
              kept_counts = 0, order_table = 0, ordered = 0, ordered_lse = 0, int8 = 0, q_scales = 0,
              k_scales = 0, int8_offsets = 0, key_sums = 0, key_mean = 0, sources = 0, destinations = 0,
              appended = 0, places = 0, x = 0, merged = 0, metric_rows = 0, scratch = 0, of_rows = 0,
              of_selection = 0;
  std::size_t sampled_compressed = 0, sampled_table = 0, sampled_kept = 0, sampled_counts = 0,
              sampled_sources = 0;
};

method_bytes of_sparse(const checked_problem& p) {
  const auto blocks = static_cast<std::size_t>(p.heads * p.blocks()),
             selected = static_cast<std::size_t>(p.selected),
             sampled = static_cast<std::size_t>(p.block_sample_count);
  method_bytes of;
  of.gates = 8 * static_cast<std::size_t>(p.heads * p.tokens);
  of.pooled_q = of.pooled_k = of.compressed = 2 * width * blocks;
  of.compressed_lse = sizeof(float) * blocks;
  of.table = sizeof(std::int32_t) * blocks * selected;
  of.scratch = compression_attention::scratch_bytes(compression_of(p));
  of.of_rows = compression_attention::reference_bytes(checked_compression_of(p));
  of.of_selection = selection_attention::reference_bytes(checked_selection_of(p));
  of.sampled_compressed = sizeof(float) * sampled;
  of.sampled_table = sizeof(std::int32_t) * sampled * selected;
  return of;
}

method_bytes of_block_sparse(const checked_problem& p) {
  const block_sparse_selection::problem choice = choice_of(p);
  const auto rows = static_cast<std::size_t>(choice.rows()), words = static_cast<std::size_t>(choice.words()),
             sampled = static_cast<std::size_t>(p.block_sample_count);
  method_bytes of;
  of.pooled_q = 2 * width * rows;
  of.pooled_k = 2 * width * static_cast<std::size_t>(choice.heads * choice.keys);
  of.kept = sizeof(std::uint32_t) * rows * words;
  of.kept_counts = sizeof(std::int32_t) * rows;
  if (p.order != patch_order::natural) {
    of.order_table = sizeof(std::int32_t) * patches_in_order(p.geometry, p.order).size();
    of.ordered = 2 * static_cast<std::size_t>(p.elements());
    of.ordered_lse = sizeof(float) * static_cast<std::size_t>(p.heads * p.tokens);
  }
  if (p.multiplies_int8) {
    const compression_attention::quantization int8 = quantization_of(p);
    const auto numbers = [&](std::int64_t of_head) {
      return sizeof(float) * static_cast<std::size_t>(p.heads * of_head);
    };
    of.int8 = static_cast<std::size_t>(p.elements());
    of.q_scales = numbers(int8.blocks.query_blocks());
    of.k_scales = numbers(int8.blocks.boxes(p.tokens));
    of.int8_offsets = numbers(p.tokens);
    of.key_sums = numbers(int8.chunks() * width);
    of.key_mean = numbers(width);
  }
  of.scratch = block_sparse_selection::scratch_bytes(choice);
  of.of_rows = compression_attention::reference_bytes(checked_kept_of(p));
  of.sampled_kept = sizeof(std::uint32_t) * sampled * words;
  of.sampled_counts = sizeof(std::int32_t) * sampled;
  return of;
}

method_bytes of_merged(const checked_problem& p) {
  const auto entries = [](std::int64_t count) {
    return sizeof(std::int32_t) * static_cast<std::size_t>(count);
  };
  method_bytes of;
  of.sources = entries(p.merging.sources);
  of.destinations = entries(p.merging.destinations);
  of.appended = entries(p.merging.appended);
  of.places = entries(p.tokens);
  of.x = 2 * static_cast<std::size_t>(p.elements());
  if (p.merging.metric == token_merging::metric::mean_of_heads)
    of.metric_rows = 2 * width * static_cast<std::size_t>(p.tokens);
  of.merged = 2 * width * static_cast<std::size_t>(p.heads * p.merging.attending());
  of.scratch = std::max(token_merging::scratch_bytes(merging_of(p, token_merging::step::match)),
                        token_merging::scratch_bytes(merging_of(p, token_merging::step::merge)));
  of.of_rows = compression_attention::reference_bytes(checked_among_merged_of(p));
  of.sampled_sources = entries(p.source_sample_count);
  return of;
}

method_bytes of_pooled_keys(const checked_problem& p) {
  method_bytes of;
  of.pooled_k = of.compressed = 2 * width * static_cast<std::size_t>(p.heads * p.rows_of_keys());
  of.of_rows = compression_attention::reference_bytes(checked_to_pooled_keys_of(p));
  return of;
}

method_bytes of_dense(const checked_problem& p) {
  method_bytes of;
  of.of_rows = compression_attention::reference_bytes(checked_dense_of(p));
  return of;
}

method_bytes bytes_of(const checked_problem& p) {
  switch (p.method) {
    case method::sparse:
      return of_sparse(p);
    case method::block_sparse:
      return of_block_sparse(p);
    case method::merged:
      return of_merged(p);
    case method::pooled_keys:
      return of_pooled_keys(p);
    default:
      return of_dense(p);
  }
}

}  // namespace

bound_buffers buffers_of(problem& p, checks& c) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.heads * p.tokens);
  const auto sampled = static_cast<std::size_t>(c.sample_count),
             sampled_blocks = static_cast<std::size_t>(c.block_sample_count);
  const method_bytes of = bytes_of({p, c});
  token_merging::problem& m = p.merging;
  const auto input = buffer_role::input, output = buffer_role::output, device = buffer_role::scratch,
             reference = buffer_role::reference, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison, once = buffer_reset::zeros_once;
  // Too large for the host: inputs are made on the device, and the check reads how far each part is from
  // plain arithmetic, and samples.
  return {bind("q", p.q, elements, device),
          bind("k", p.k, elements, device),
          bind("v", p.v, elements, device),
          bind("gates", p.gates, of.gates, device),
          bind("pooled_q", p.pooled[0], of.pooled_q, result, poison),
          bind("pooled_k", p.pooled[1], of.pooled_k, result, poison),
          bind("pooled_v", p.pooled[2], of.compressed, result, poison),
          bind("compressed", p.compressed, of.compressed, result, poison),
          bind("compressed_lse", p.compressed_lse, of.compressed_lse, result, poison),
          bind("table", p.table, of.table, result, poison),
          bind("kept", p.kept, of.kept, result, poison),
          bind("kept_counts", p.kept_counts, of.kept_counts, result, poison),
          bind("order_table", p.order_table, of.order_table, input),
          bind("ordered_q", p.ordered[0], of.ordered, device, poison),
          bind("ordered_k", p.ordered[1], of.ordered, device, poison),
          bind("ordered_v", p.ordered[2], of.ordered, device, poison),
          bind("ordered_out", p.ordered_out, of.ordered, device, poison),
          bind("ordered_lse", p.ordered_lse, of.ordered_lse, device, poison),
          bind("int8_q", p.int8.q, of.int8, device, poison),
          bind("int8_k", p.int8.k, of.int8, device, poison),
          bind("q_scales", p.int8.q_scales, of.q_scales, device, poison),
          bind("k_scales", p.int8.k_scales, of.k_scales, device, poison),
          bind("int8_offsets", p.int8.offsets, of.int8_offsets, device, poison),
          bind("key_sums", p.key_sums, of.key_sums, device, poison),
          bind("key_mean", p.key_mean, of.key_mean, device, poison),
          bind("source_tokens", m.source_tokens, of.sources, input),
          bind("destination_tokens", m.destination_tokens, of.destinations, input),
          bind("appended_tokens", m.appended_tokens, of.appended, input),
          bind("places", m.places, of.places, input),
          bind("x", m.x, of.x, device),
          bind("metric_rows", m.metric_rows, of.metric_rows, device, poison),
          bind("best", m.best, of.sources, output, poison),
          bind("similarity", m.similarity, of.sources, result, poison),
          bind("merged_q", m.merged[0], of.merged, device, poison),
          bind("merged_k", m.merged[1], of.merged, device, poison),
          bind("merged_v", m.merged[2], of.merged, device, poison),
          bind("attended", p.attended, of.merged, device, poison),
          bind("scratch", p.scratch, of.scratch, device, poison),
          bind("out", p.out, elements, result, poison),
          bind("lse", p.lse, sizeof(float) * rows, result, poison),
          bind("block_samples", c.block_samples, sizeof(sampled_row) * sampled_blocks, input),
          bind("samples", c.samples, sizeof(sampled_row) * sampled, input),
          bind("source_samples", c.source_samples, of.sampled_sources, input),
          bind("found", c.found, sizeof(findings), finding, poison),
          bind("sampled_compressed", c.sampled_compressed, of.sampled_compressed * width, finding, poison),
          bind("sampled_compressed_lse", c.sampled_compressed_lse, of.sampled_compressed, finding, poison),
          bind("sampled_table", c.sampled_table, of.sampled_table, finding, poison),
          bind("sampled_kept", c.sampled_kept, of.sampled_kept, finding, poison),
          bind("sampled_counts", c.sampled_counts, of.sampled_counts, finding, poison),
          bind("sampled_best", c.sampled_best, of.sampled_sources, finding, poison),
          bind("sampled_similarity", c.sampled_similarity, of.sampled_sources, finding, poison),
          bind("sampled_out", c.sampled_out, sizeof(float) * sampled * width, finding, poison),
          bind("sampled_lse", c.sampled_lse, sizeof(float) * sampled, finding, poison),
          bind("row_reference", c.row_reference, of.of_rows, reference, once),
          bind("selection_reference", c.selection_reference, of.of_selection, reference, once)};
}

bound_buffers buffers(checked_problem& p) { return buffers_of(p, p); }

}  // namespace ablate::gated_attention
