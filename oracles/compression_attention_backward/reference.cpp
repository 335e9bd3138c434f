#include "oracles/compression_attention_backward/reference.h"

#include "oracles/window_attention/reference.h"

namespace ablate::compression_attention_backward {

using window_attention::tensor;

checked_problem generated_problem_of_rows(std::int64_t rows, std::int64_t heads, std::uint64_t seed,
                                          float score_spread) {
  checked_problem p{problem_of_rows(rows, heads), {}};
  p.inputs.seed = seed;
  p.inputs.score_spread = score_spread;
  p.inputs.batches = heads;
  p.inputs.window = padded_rows(rows);
  p.inputs.width = width;
  return p;
}

window_attention_backward::window_values values_of_head(const checked_problem& p, std::int64_t head) {
  const window_attention::checked_problem a = generated_attention_of(checked_gradients_of(p));
  window_attention_backward::window_values values{static_cast<int>(p.rows), width, {}, {}, {}, {}};
  const auto fill = [&](std::vector<double>& to, tensor of) {
    to.reserve(static_cast<std::size_t>(p.rows) * width);
    for (std::int64_t row = 0; row < p.rows; ++row)
      for (int d = 0; d < width; ++d) to.push_back(generated_value(a, of, {head, 0, row, 0}, row, d));
  };
  fill(values.q, tensor::q);
  fill(values.k, tensor::k);
  fill(values.v, tensor::v);
  fill(values.out_gradient, tensor::out_gradient);
  return values;
}

}  // namespace ablate::compression_attention_backward
