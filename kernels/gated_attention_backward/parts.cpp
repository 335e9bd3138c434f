#include "kernels/gated_attention_backward/parts.h"

#include "kernels/common/memory_cutter.h"
#include "kernels/gated_attention/parts.h"

namespace ablate::gated_attention_backward {

moved_rows cut_moved_rows(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.moved)};
  moved_rows moved;
  const std::int64_t rows = p.moves_rows() ? p.forward.heads * p.padded_rows() : 0;
  for (std::uint16_t*& tensor : moved.of) cutter.cut(tensor, rows * width);
  cutter.cut(moved.lse, rows);
  for (std::uint16_t*& tensor : moved.gradient) cutter.cut(tensor, rows * width);
  if (bytes) *bytes = cutter.used;
  return moved;
}

std::size_t moved_rows_bytes(const problem& p) { return bytes_cut(cut_moved_rows, p); }

selection_attention::problem selected_of(const problem& p) {
  selection_attention::problem of = gated_attention::selection_of(p.forward);
  of.is_gated = of.keeps_ungated = false;
  of.compressed = nullptr;
  of.gates = nullptr;
  of.out = p.forward.selected_out;
  of.ungated = nullptr;
  return of;
}

list_transpose::problem inversion_of(const problem& p) {
  list_transpose::problem of = selection_attention_backward::inversion_of(selection_of(p, false));
  of.sort_memory = p.sort_memory;
  return of;
}

selection_attention_backward::problem selection_of(const problem& p, bool adds_pooled) {
  selection_attention_backward::problem of;
  of.attention = selected_of(p);
  of.attention.is_gated = true;
  of.attention.compressed = p.forward.compressed;
  of.attention.gates = p.forward.gates;
  of.out_gradient = p.out_gradient;
  of.offsets = p.offsets;
  of.queries = p.queries;
  of.count_memory = p.count_memory;
  of.q_gradient = p.gradient[0];
  of.k_gradient = p.gradient[1];
  of.v_gradient = p.gradient[2];
  if (adds_pooled)
    for (std::size_t i = 0; i < gradients; ++i) of.pooled_gradients[i] = p.pooled_gradient[i];
  of.gate_gradients = p.gate_gradients;
  of.compressed_gradient = p.compressed_gradient;
  of.statistics = p.statistics;
  of.pieces = p.pieces;
  of.pieces_in_query_gradient = fit_in_query_gradient(of);
  return of;
}

compression_attention_backward::problem rows_of(const problem& p) {
  const gated_attention::problem& f = p.forward;
  compression_attention_backward::problem of =
      compression_attention_backward::problem_of_rows(f.blocks(), f.heads);
  window_attention_backward::problem& g = of.gradients;
  g.scratch = p.row_scratch;
  const moved_rows moved =
      p.moves_rows()
          ? cut_moved_rows(p)
          : moved_rows{{f.pooled[0], f.pooled[1], f.pooled[2], f.compressed, p.compressed_gradient},
                       f.compressed_lse,
                       p.pooled_gradient};
  g.attention.q = moved.of[0];
  g.attention.k = moved.of[1];
  g.attention.v = moved.of[2];
  g.attention.out = moved.of[3];
  g.attention.lse = moved.lse;
  g.out_gradient = moved.of[4];
  g.q_gradient = moved.gradient[0];
  g.k_gradient = moved.gradient[1];
  g.v_gradient = moved.gradient[2];
  return of;
}

block_pooling_backward::problem pooling_of(const problem& p) {
  block_pooling_backward::problem of;
  of.pooling = gated_attention::pooling_of(p.forward);
  of.given = block_pooling_backward::given::added;
  for (std::size_t i = 0; i < gradients; ++i) {
    of.pooled_gradient[i] = p.pooled_gradient[i];
    of.token_gradient[i] = of.gradient[i] = p.gradient[i];
  }
  return of;
}

}  // namespace ablate::gated_attention_backward
