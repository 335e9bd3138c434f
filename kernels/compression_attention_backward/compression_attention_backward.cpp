#include "kernels/compression_attention_backward/compression_attention_backward.h"

namespace ablate::compression_attention_backward {

problem problem_of_rows(std::int64_t rows, std::int64_t heads) {
  problem p;
  p.rows = rows;
  window_attention::problem& a = p.gradients.attention;
  a.batches = heads;
  a.heads = 1;
  a.width = width;
  a.tokens = a.window = padded_rows(rows);
  a.bucket = rows_of_tile;
  a.rows = window_attention::row_order::contiguous;
  return p;
}

}  // namespace ablate::compression_attention_backward
