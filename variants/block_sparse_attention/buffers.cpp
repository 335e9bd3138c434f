#include "variants/block_sparse_attention/buffers.h"

#include "variants/global_attention/buffers.h"

namespace ablate::block_sparse_attention {

namespace {

std::size_t numbers_of(const problem& p, std::int64_t of_head) {
  return sizeof(float) * static_cast<std::size_t>(p.heads * of_head);
}

/// Means and what is kept by them.
bound_buffers choice_buffers_of(problem& p) {
  const block_sparse_selection::problem choice = choice_of(p);
  const auto rows = static_cast<std::size_t>(choice.rows()), words = static_cast<std::size_t>(choice.words());
  const auto result = buffer_role::result;
  const auto poison = buffer_reset::poison;
  return {bind("pooled_q", p.query_means, 2 * width * rows, result, poison),
          bind("pooled_k", p.key_means, 2 * width * static_cast<std::size_t>(choice.heads * choice.keys),
               result, poison),
          bind("kept", p.kept, sizeof(std::uint32_t) * rows * words, result, poison),
          bind("kept_counts", p.kept_counts, sizeof(std::int32_t) * rows, result, poison)};
}

/// Tokens in another order; nothing where they stay.
bound_buffers moves_of(problem& p) {
  const std::size_t elements = p.moves_tokens() ? 2 * static_cast<std::size_t>(p.elements()) : 0,
                    lse = p.moves_tokens() ? numbers_of(p, p.tokens) : 0,
                    table = p.moves_tokens() ? patches_in_order(p.geometry, p.order).size() : 0;
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {bind("order_table", p.order_table, sizeof(std::int32_t) * table),
          bind("ordered_q", p.ordered[0], elements, device, poison),
          bind("ordered_k", p.ordered[1], elements, device, poison),
          bind("ordered_v", p.ordered[2], elements, device, poison),
          bind("ordered_out", p.ordered_out, elements, device, poison),
          bind("ordered_lse", p.ordered_lse, lse, device, poison)};
}

/// Rows of int8; nothing where products are of bf16.
bound_buffers int8_buffers_of(problem& p) {
  const compression_attention::quantization int8 = quantization_of(p);
  const auto numbers = [&](std::int64_t of_head) { return p.multiplies_int8 ? numbers_of(p, of_head) : 0; };
  const std::size_t elements = p.multiplies_int8 ? static_cast<std::size_t>(p.elements()) : 0;
  const auto device = buffer_role::scratch;
  const auto poison = buffer_reset::poison;
  return {bind("int8_q", p.int8.q, elements, device, poison),
          bind("int8_k", p.int8.k, elements, device, poison),
          bind("q_scales", p.int8.q_scales, numbers(int8.blocks.query_blocks()), device, poison),
          bind("k_scales", p.int8.k_scales, numbers(int8.blocks.boxes(p.tokens)), device, poison),
          bind("int8_offsets", p.int8.offsets, numbers(p.tokens), device, poison),
          bind("key_sums", p.key_sums, numbers(int8.chunks() * width), device, poison),
          bind("key_mean", p.key_mean, numbers(width), device, poison)};
}

}  // namespace

bound_buffers buffers_of(problem& p, checks& c) {
  using namespace global_attention;
  const block_sparse_selection::problem choice = choice_of(p);
  const auto sampled = static_cast<std::size_t>(c.block_sample_count),
             words = static_cast<std::size_t>(choice.words());
  const auto finding = buffer_role::finding;
  const auto poison = buffer_reset::poison;
  return joined(
      {tensors_of(p),
       choice_buffers_of(p),
       moves_of(p),
       int8_buffers_of(p),
       {bind("scratch", p.scratch, block_sparse_selection::scratch_bytes(choice), buffer_role::scratch,
             poison)},
       outputs_of(p),
       {bind("block_samples", c.block_samples, sizeof(sampled_row) * sampled)},
       samples_of(c),
       {bind("found", c.found, sizeof(findings), finding, poison),
        bind("sampled_kept", c.sampled_kept, sizeof(std::uint32_t) * sampled * words, finding, poison),
        bind("sampled_counts", c.sampled_counts, sizeof(std::int32_t) * sampled, finding, poison)},
       sampled_rows_of(c),
       {bind("row_reference", c.row_reference,
             compression_attention::reference_bytes(checked_kept_of({p, c})), buffer_role::reference,
             buffer_reset::zeros_once)}});
}

bound_buffers buffers(checked_problem& p) { return buffers_of(p, p); }

}  // namespace ablate::block_sparse_attention
