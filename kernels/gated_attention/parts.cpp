#include "kernels/gated_attention/parts.h"

#include <utility>

namespace ablate::gated_attention {

block_pooling::problem pooling_of(const problem& p) {
  block_pooling::problem of;
  of.tokens = p.tokens;
  of.heads = p.heads;
  of.block = p.block;
  of.geometry = p.geometry;
  of.mode = block_pooling::mode::post;
  of.in[0] = p.q;
  of.in[1] = p.k;
  of.in[2] = p.v;
  for (std::size_t i = 0; i < block_pooling::tensors; ++i) of.pooled[i] = p.pooled[i];
  return of;
}

compression_attention::problem compression_of(const problem& p) {
  compression_attention::problem of;
  of.heads = p.heads;
  of.rows = p.blocks();
  of.selected = p.selected;
  // Ascending entries: query blocks that follow each other then read what they share at the same time.
  of.by_index = true;
  of.first_listed = p.first_frame == first_frame::forced ? p.blocks_of_frame() : 0;
  of.q = p.pooled[0];
  of.k = p.pooled[1];
  of.v = p.pooled[2];
  of.out = p.compressed;
  of.lse = p.compressed_lse;
  of.table = p.table;
  of.scratch = p.scratch;
  return of;
}

selection_attention::problem selection_of(const problem& p) {
  selection_attention::problem of;
  of.tokens = p.tokens;
  of.heads = p.heads;
  of.block = p.block;
  of.selected = p.selected;
  of.is_gated = true;
  of.keeps_ungated = p.keeps_selected;
  of.geometry = p.geometry;
  of.first_frame = p.first_frame;
  of.blocks_of_frame = p.blocks_of_frame();
  of.q = p.q;
  of.k = p.k;
  of.v = p.v;
  of.table = p.table;
  of.compressed = p.compressed;
  of.gates = p.gates;
  of.heads_of_gates = p.heads_of_gates;
  of.out = p.out;
  of.ungated = p.selected_out;
  of.lse = p.lse;
  return of;
}

namespace {

block_sparse_selection::block_means means_of(const problem& p, int block, const std::uint16_t* rows,
                                             std::uint16_t* means) {
  return {.heads = p.heads,
          .tokens = p.layout().patches(),
          .tokens_of_head = p.tokens,
          .block = block,
          .rows = rows,
          .means = means};
}

}  // namespace

block_sparse_selection::block_means query_means_of(const problem& p) {
  return means_of(p, block_sparse_selection::query_block, p.q, p.pooled[0]);
}
block_sparse_selection::block_means key_means_of(const problem& p) {
  return means_of(p, block_sparse_selection::key_block, p.k, p.pooled[1]);
}

block_sparse_selection::problem choice_of(const problem& p) {
  block_sparse_selection::problem of;
  of.queries = query_means_of(p).blocks();
  of.keys = key_means_of(p).blocks();
  of.heads = p.heads;
  of.mass_percent = p.mass_percent;
  of.kept_percent = p.kept_percent;
  of.q = p.pooled[0];
  of.k = p.pooled[1];
  of.kept = p.kept;
  of.counts = p.kept_counts;
  of.scratch = p.scratch;
  return of;
}

problem in_order(const problem& p) {
  if (p.order == patch_order::natural) return p;
  problem moved = p;
  moved.q = p.ordered[0];
  moved.k = p.ordered[1];
  moved.v = p.ordered[2];
  moved.out = p.ordered_out;
  moved.lse = p.ordered_lse;
  return moved;
}

compression_attention::quantization quantization_of(const problem& p) {
  compression_attention::quantization of;
  of.heads = p.heads;
  of.rows = p.tokens;
  of.blocks.rows = p.layout().patches();
  of.q = p.q;
  of.k = p.k;
  of.sums = p.key_sums;
  of.mean = p.key_mean;
  of.to = p.int8;
  return of;
}

compression_attention::problem kept_of(const problem& p) {
  compression_attention::problem of = dense_of(p);
  of.kept = {p.kept, p.kept_counts, p.layout().patches()};
  of.multiplies_int8 = p.multiplies_int8;
  of.int8 = p.int8;
  of.queries = p.layout().patches();
  return of;
}

std::vector<block_sparse_selection::block_means> pooled_keys_of(const problem& p) {
  const std::int64_t patches = p.layout().patches();
  std::vector<block_sparse_selection::block_means> means;
  for (const auto& [rows, to] : {std::pair{p.k, p.pooled[1]}, {p.v, p.pooled[2]}}) {
    block_sparse_selection::block_means of_blocks = means_of(p, p.block, rows, to);
    of_blocks.means_of_head = p.rows_of_keys();
    of_blocks.patches = p.layout();
    means.push_back(of_blocks);
    if (patches == p.tokens) continue;
    block_sparse_selection::block_means special = means_of(p, 1, rows, to);
    special.tokens = p.tokens - patches;
    special.means_of_head = p.rows_of_keys();
    if (rows != nullptr) {
      special.rows += patches * width;
      special.means += p.blocks() * width;
    }
    means.push_back(special);
  }
  return means;
}

compression_attention::problem to_pooled_keys_of(const problem& p) {
  compression_attention::problem of = dense_of(p);
  of.rows_of_keys = p.rows_of_keys();
  of.k = p.pooled[1];
  of.v = p.pooled[2];
  return of;
}

token_merging::problem merging_of(const problem& p, token_merging::step step) {
  token_merging::problem of = p.merging;
  of.step = step;
  of.in[0] = p.q;
  of.in[1] = p.k;
  of.in[2] = p.v;
  of.attended = p.attended;
  of.out = p.out;
  of.scratch = p.scratch;
  return of;
}

compression_attention::problem among_merged_of(const problem& p) {
  compression_attention::problem of = dense_of(p);
  of.rows = p.merging.attending();
  of.q = p.merging.merged[0];
  of.k = p.merging.merged[1];
  of.v = p.merging.merged[2];
  of.out = p.attended;
  return of;
}

problem some_heads(const problem& p, std::int64_t first, std::int64_t count) {
  problem some = p;
  some.heads = count;
  some.heads_of_gates = p.heads;
  for (auto* const tensor : {&some.q, &some.k, &some.v}) *tensor += first * p.tokens * width;
  for (std::uint16_t*& tensor : some.pooled) tensor += first * p.blocks() * width;
  some.gates += 2 * first;
  some.compressed += first * p.blocks() * width;
  some.compressed_lse += first * p.blocks();
  some.table += first * p.blocks() * p.selected;
  some.out += first * p.tokens * width;
  if (p.keeps_selected) some.selected_out += first * p.tokens * width;
  some.lse += first * p.tokens;
  return some;
}

compression_attention::problem dense_of(const problem& p) {
  compression_attention::problem of;
  of.heads = p.heads;
  of.rows = p.tokens;
  of.first_query = p.first_query;
  of.queries = p.queries;
  of.selected = 0;
  of.lists = false;
  of.q = p.q;
  of.k = p.k;
  of.v = p.v;
  of.out = p.out;
  of.lse = p.lse;
  return of;
}

compression_attention::problem first_frame_of(const problem& p) {
  compression_attention::problem of = dense_of(p);
  of.first_query = 0;
  of.queries = p.tokens_of_frame();
  return of;
}

compression_attention::problem forced_of(const problem& p) {
  compression_attention::problem of = dense_of(p);
  of.keys = p.tokens_of_frame();
  return of;
}

compression_attention::problem special_of(const problem& p) {
  compression_attention::problem of = dense_of(p);
  of.first_query = p.layout().patches();
  of.queries = p.tokens - of.first_query;
  return of;
}

}  // namespace ablate::gated_attention
