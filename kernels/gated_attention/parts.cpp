#include "kernels/gated_attention/parts.h"

#include "kernels/global_attention/parts.h"

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

compression_attention::problem first_frame_of(const problem& p) {
  compression_attention::problem of = global_attention::among_all(p);
  of.queries = p.tokens_of_frame();
  return of;
}

compression_attention::problem forced_of(const problem& p) {
  compression_attention::problem of = global_attention::among_all(p);
  of.keys = p.tokens_of_frame();
  return of;
}

}  // namespace ablate::gated_attention
