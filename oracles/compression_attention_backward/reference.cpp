#include "kernels/compression_attention_backward/compression_attention_backward.h"

namespace ablate::compression_attention_backward {

using window_attention::tensor;

problem problem_of_rows(std::int64_t rows, std::int64_t heads, std::uint64_t seed, float score_spread) {
  problem p;
  p.rows = rows;
  window_attention::problem& a = p.gradients.attention;
  a.batches = heads;
  a.heads = 1;
  a.width = width;
  a.tokens = a.window = padded_rows(rows);
  a.bucket = rows_of_tile;
  a.rows = window_attention::row_order::contiguous;
  a.inputs.seed = seed;
  a.inputs.score_spread = score_spread;
  a.inputs.batches = heads;
  a.inputs.window = a.window;
  a.inputs.width = width;
  return p;
}

window_attention_backward::window_values values_of_head(const problem& p, std::int64_t head) {
  const window_attention::problem& a = p.gradients.attention;
  window_attention_backward::window_values values{static_cast<int>(p.rows), width, {}, {}, {}, {}};
  const auto fill = [&](std::vector<double>& to, tensor of) {
    to.reserve(static_cast<std::size_t>(p.rows) * width);
    for (std::int64_t row = 0; row < p.rows; ++row)
      for (int d = 0; d < width; ++d) to.push_back(made_value(a, of, {head, 0, row, 0}, row, d));
  };
  fill(values.q, tensor::q);
  fill(values.k, tensor::k);
  fill(values.v, tensor::v);
  fill(values.out_gradient, tensor::out_gradient);
  return values;
}

}  // namespace ablate::compression_attention_backward
