#include "variants/gated_attention/buffers.h"

#include <algorithm>

#include "kernels/gated_attention/parts.h"

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

method_bytes of_sparse(const problem& p) {
  const auto blocks = static_cast<std::size_t>(p.heads * p.blocks()),
             selected = static_cast<std::size_t>(p.selected),
             sampled = static_cast<std::size_t>(p.block_sample_count);
  method_bytes of;
  of.gates = 8 * static_cast<std::size_t>(p.heads * p.tokens);
  of.pooled_q = of.pooled_k = of.compressed = 2 * width * blocks;
  of.compressed_lse = sizeof(float) * blocks;
  of.table = sizeof(std::int32_t) * blocks * selected;
  of.scratch = compression_attention::scratch_bytes(compression_of(p));
  of.of_rows = compression_attention::reference_bytes(compression_of(p));
  of.of_selection = selection_attention::reference_bytes(selection_of(p));
  of.sampled_compressed = sizeof(float) * sampled;
  of.sampled_table = sizeof(std::int32_t) * sampled * selected;
  return of;
}

method_bytes of_block_sparse(const problem& p) {
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
  of.of_rows = compression_attention::reference_bytes(compared_kept_of(p));
  of.sampled_kept = sizeof(std::uint32_t) * sampled * words;
  of.sampled_counts = sizeof(std::int32_t) * sampled;
  return of;
}

method_bytes of_merged(const problem& p) {
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
  of.of_rows = compression_attention::reference_bytes(among_merged_of(p));
  of.sampled_sources = entries(p.merging.sample_count);
  return of;
}

method_bytes of_pooled_keys(const problem& p) {
  method_bytes of;
  of.pooled_k = of.compressed = 2 * width * static_cast<std::size_t>(p.heads * p.rows_of_keys());
  of.of_rows = compression_attention::reference_bytes(to_pooled_keys_of(p));
  return of;
}

method_bytes of_dense(const problem& p) {
  method_bytes of;
  of.of_rows = compression_attention::reference_bytes(dense_of(p));
  return of;
}

method_bytes bytes_of(const problem& p) {
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

std::vector<buffer> buffers(const problem& p) {
  const auto elements = 2 * static_cast<std::size_t>(p.elements());
  const auto rows = static_cast<std::size_t>(p.heads * p.tokens);
  const auto sampled = static_cast<std::size_t>(p.sample_count),
             sampled_blocks = static_cast<std::size_t>(p.block_sample_count);
  const method_bytes of = bytes_of(p);
  const auto input = buffer_role::input, output = buffer_role::output, device = buffer_role::scratch,
             reference = buffer_role::reference, result = buffer_role::result, finding = buffer_role::finding;
  const auto poison = buffer_reset::poison, once = buffer_reset::zeros_once;
  // Too large for the host: inputs are made on the device, and the check reads how far each part is from
  // plain arithmetic, and samples.
  return {{"q", elements, device},
          {"k", elements, device},
          {"v", elements, device},
          {"gates", of.gates, device},
          {"pooled_q", of.pooled_q, result, poison},
          {"pooled_k", of.pooled_k, result, poison},
          {"pooled_v", of.compressed, result, poison},
          {"compressed", of.compressed, result, poison},
          {"compressed_lse", of.compressed_lse, result, poison},
          {"table", of.table, result, poison},
          {"kept", of.kept, result, poison},
          {"kept_counts", of.kept_counts, result, poison},
          {"order_table", of.order_table, input},
          {"ordered_q", of.ordered, device, poison},
          {"ordered_k", of.ordered, device, poison},
          {"ordered_v", of.ordered, device, poison},
          {"ordered_out", of.ordered, device, poison},
          {"ordered_lse", of.ordered_lse, device, poison},
          {"int8_q", of.int8, device, poison},
          {"int8_k", of.int8, device, poison},
          {"q_scales", of.q_scales, device, poison},
          {"k_scales", of.k_scales, device, poison},
          {"int8_offsets", of.int8_offsets, device, poison},
          {"key_sums", of.key_sums, device, poison},
          {"key_mean", of.key_mean, device, poison},
          {"source_tokens", of.sources, input},
          {"destination_tokens", of.destinations, input},
          {"appended_tokens", of.appended, input},
          {"places", of.places, input},
          {"x", of.x, device},
          {"metric_rows", of.metric_rows, device, poison},
          {"best", of.sources, output, poison},
          {"similarity", of.sources, result, poison},
          {"merged_q", of.merged, device, poison},
          {"merged_k", of.merged, device, poison},
          {"merged_v", of.merged, device, poison},
          {"attended", of.merged, device, poison},
          {"scratch", of.scratch, device, poison},
          {"out", elements, result, poison},
          {"lse", sizeof(float) * rows, result, poison},
          {"block_samples", sizeof(sampled_row) * sampled_blocks, input},
          {"samples", sizeof(sampled_row) * sampled, input},
          {"source_samples", of.sampled_sources, input},
          {"found", sizeof(findings), finding, poison},
          {"sampled_compressed", of.sampled_compressed * width, finding, poison},
          {"sampled_compressed_lse", of.sampled_compressed, finding, poison},
          {"sampled_table", of.sampled_table, finding, poison},
          {"sampled_kept", of.sampled_kept, finding, poison},
          {"sampled_counts", of.sampled_counts, finding, poison},
          {"sampled_best", of.sampled_sources, finding, poison},
          {"sampled_similarity", of.sampled_sources, finding, poison},
          {"sampled_out", sizeof(float) * sampled * width, finding, poison},
          {"sampled_lse", sizeof(float) * sampled, finding, poison},
          {"row_reference", of.of_rows, reference, once},
          {"selection_reference", of.of_selection, reference, once}};
}

namespace {

void attach_merging(token_merging::problem& p, std::span<void* const> addresses) {
  const auto entries = [&](place at) { return static_cast<std::int32_t*>(addresses[at]); };
  p.source_tokens = entries(source_tokens);
  p.destination_tokens = entries(destination_tokens);
  p.appended_tokens = entries(appended_tokens);
  p.places = entries(token_places);
  p.x = static_cast<const std::uint16_t*>(addresses[x]);
  p.metric_rows = static_cast<std::uint16_t*>(addresses[metric_rows]);
  p.best = entries(best);
  p.similarity = static_cast<float*>(addresses[similarity]);
  for (std::size_t i = 0; i < token_merging::tensors; ++i)
    p.merged[i] = static_cast<std::uint16_t*>(addresses[merged_q + i]);
  p.samples = entries(source_samples);
  p.sampled_best = entries(sampled_best);
  p.sampled_similarity = static_cast<float*>(addresses[sampled_similarity]);
}

}  // namespace

void attach(problem& p, std::span<void* const> addresses) {
  const auto bf16 = [&](place at) { return static_cast<std::uint16_t*>(addresses[at]); };
  const auto numbers = [&](place at) { return static_cast<float*>(addresses[at]); };
  const auto entries = [&](place at) { return static_cast<std::int32_t*>(addresses[at]); };
  p.q = bf16(q);
  p.k = bf16(k);
  p.v = bf16(v);
  p.gates = numbers(gates);
  p.pooled = {bf16(pooled_q), bf16(pooled_k), bf16(pooled_v)};
  p.compressed = bf16(compressed);
  p.compressed_lse = numbers(compressed_lse);
  p.table = entries(table);
  p.kept = static_cast<std::uint32_t*>(addresses[kept]);
  p.kept_counts = entries(kept_counts);
  p.order_table = entries(order_table);
  p.ordered = {bf16(ordered_q), bf16(ordered_k), bf16(ordered_v)};
  p.ordered_out = bf16(ordered_out);
  p.ordered_lse = numbers(ordered_lse);
  const auto int8 = [&](place at) { return static_cast<std::int8_t*>(addresses[at]); };
  p.int8 = {int8(int8_q), int8(int8_k), numbers(q_scales), numbers(k_scales), numbers(int8_offsets)};
  p.key_sums = numbers(key_sums);
  p.key_mean = numbers(key_mean);
  attach_merging(p.merging, addresses);
  p.attended = bf16(attended);
  p.scratch = addresses[scratch];
  p.out = bf16(out);
  p.lse = numbers(lse);
  p.block_samples = static_cast<const sampled_row*>(addresses[block_samples]);
  p.samples = static_cast<const sampled_row*>(addresses[samples]);
  p.found = static_cast<findings*>(addresses[found]);
  p.sampled_compressed = numbers(sampled_compressed);
  p.sampled_compressed_lse = numbers(sampled_compressed_lse);
  p.sampled_table = entries(sampled_table);
  p.sampled_kept = static_cast<std::uint32_t*>(addresses[sampled_kept]);
  p.sampled_counts = entries(sampled_counts);
  p.sampled_out = numbers(sampled_out);
  p.sampled_lse = numbers(sampled_lse);
  p.row_reference = addresses[row_reference];
  p.selection_reference = addresses[selection_reference];
}

}  // namespace ablate::gated_attention
