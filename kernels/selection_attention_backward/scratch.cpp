#include <algorithm>

#include "kernels/common/memory_cutter.h"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

namespace ablate::selection_attention_backward {

list_transpose::problem inversion_of(const problem& p) {
  list_transpose::problem lists;
  lists.heads = p.attention.heads;
  lists.blocks = p.attention.blocks();
  lists.selected = p.attention.selected;
  lists.lowest = p.attention.lowest_entry();
  lists.table = p.attention.table;
  lists.offsets = p.offsets;
  lists.queries = p.queries;
  lists.count_memory = p.count_memory;
  return lists;
}

row_cut cut_of(const problem& p) {
  const int tiles = p.attention.block / selection_attention::tile;
  return {std::max(1, least_pairs_of_a_piece / tiles)};
}

std::int64_t max_pieces(const problem& p) { return inversion_of(p).entries() / cut_of(p).least; }

bool fit_in_query_gradient(const problem& p) { return p.attention.selected * p.attention.block <= 512; }

piece_memory cut_piece_memory(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.pieces)};
  piece_memory memory{};
  cutter.cut(memory.count, 1);
  cutter.cut(memory.first_of_row, inversion_of(p).rows());
  cutter.cut(memory.row_of_piece, max_pieces(p));
  if (p.pieces_in_query_gradient)
    memory.sums = reinterpret_cast<float*>(p.q_gradient);
  else
    cutter.cut(memory.sums, max_pieces(p) * 2 * p.attention.block * width);
  if (bytes) *bytes = cutter.used;
  return memory;
}

std::size_t piece_memory_bytes(const problem& p) { return bytes_cut(cut_piece_memory, p); }

}  // namespace ablate::selection_attention_backward
