#include <cmath>
#include <vector>

#include "oracles/linear/exact.h"

namespace ablate::linear {

using dense_layers::float_of_bf16;
using dense_layers::product_sum;
using dense_layers::tensor;

namespace {

double made(const checked_problem& p, tensor of, std::int64_t at) {
  return float_of_bf16(dense_layers::generated_bf16(p.seed, of, at, 1));
}
double weight_at(const checked_problem& p, std::int64_t row, std::int64_t column) {
  return float_of_bf16(generated_weight(p, row * p.inputs + column));
}

/// What the products take of a row: it, or its norm.
std::vector<double> row_of(const checked_problem& p, std::int64_t row) {
  std::vector<double> x;
  for (std::int64_t d = 0; d < p.inputs; ++d) x.push_back(made(p, tensor::input, row * p.inputs + d));
  if (!p.has_norm) return x;
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / p.inputs;
  for (const double value : x) variance += (value - mean) * (value - mean) / p.inputs;
  for (std::size_t d = 0; d < x.size(); ++d) {
    const auto channel = static_cast<std::int64_t>(d);
    x[d] = (x[d] - mean) / std::sqrt(variance + 1e-5) *
               dense_layers::generated_number(p.seed, tensor::gamma, channel, gamma_spread, 1) +
           dense_layers::generated_number(p.seed, tensor::beta, channel, beta_spread);
  }
  return x;
}

judged element_of_y(const checked_problem& p, const sampled_element& at) {
  const std::vector<double> x = row_of(p, at.row);
  product_sum sums[2];
  double bias[2];
  for (int part = 0; part < (p.behind == epilogue::swiglu ? 2 : 1); ++part) {
    const std::int64_t column = at.column + part * p.columns();
    for (std::int64_t d = 0; d < p.inputs; ++d)
      sums[part].add(x[static_cast<std::size_t>(d)], weight_at(p, column, d));
    bias[part] = float_of_bf16(generated_bias(p, column));
  }
  return exact_y(
      p.behind, p.has_norm, sums, bias,
      p.behind == epilogue::residual ? made(p, tensor::branch, at.row * p.outputs + at.column) : 0);
}

}  // namespace

judged reference_element(const checked_problem& p, const sampled_element& at) {
  product_sum sum;
  switch (static_cast<output>(at.of)) {
    case output::y:
      return element_of_y(p, at);
    case output::input_gradient:
      for (std::int64_t n = 0; n < p.outputs; ++n)
        sum.add(made(p, tensor::gradient, at.row * p.outputs + n), weight_at(p, n, at.column));
      return exact_input_gradient(sum);
    default: {
      dense_layers::row_product_sum of_rows;
      for (std::int64_t row = 0; row < p.rows; ++row)
        of_rows.add(made(p, tensor::gradient, row * p.outputs + at.row),
                    at.column == p.inputs ? 1 : made(p, tensor::input, row * p.inputs + at.column),
                    p.is_alike(row));
      return exact_weight_gradient(of_rows);
    }
  }
}

}  // namespace ablate::linear
