#include <cmath>
#include <vector>

#include "kernels/mlp/exact.h"

namespace ablate::mlp {

using dense_layers::float_of_bf16;
using dense_layers::made_bf16;
using dense_layers::made_number;
using dense_layers::product_sum;
using dense_layers::tensor;

judged reference_element(const problem& p, const sampled_element& at) {
  const std::int64_t c = p.channels, h = p.hidden_columns();
  std::vector<double> x, normed;
  double mean = 0, variance = 0;
  for (std::int64_t d = 0; d < c; ++d)
    x.push_back(float_of_bf16(made_bf16(p.seed, tensor::input, at.row * c + d, 1)));
  for (const double value : x) mean += value / static_cast<double>(c);
  for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(c);
  for (std::int64_t d = 0; d < c; ++d)
    normed.push_back((x[static_cast<std::size_t>(d)] - mean) / std::sqrt(variance + 1e-5) *
                         made_number(p.seed, tensor::gamma, d, gamma_spread, 1) +
                     made_number(p.seed, tensor::beta, d, beta_spread));
  product_sum sum;
  for (std::int64_t j = 0; j < h; ++j) {
    product_sum parts[2];
    double bias[2];
    for (std::int64_t part = 0; part < (p.kind == kind::swiglu ? 2 : 1); ++part) {
      const std::int64_t row = j + part * h;
      for (std::int64_t d = 0; d < c; ++d)
        parts[part].add(normed[static_cast<std::size_t>(d)],
                        float_of_bf16(made_bf16(p.seed, tensor::weight, row * c + d, p.first_spread)));
      bias[part] = float_of_bf16(made_bf16(p.seed, tensor::bias, row, bias_spread));
    }
    sum.add(exact_hidden(p.kind, parts, bias),
            float_of_bf16(made_bf16(p.seed, tensor::second_weight, at.column * h + j, p.second_spread)));
  }
  return exact_y(sum, float_of_bf16(made_bf16(p.seed, tensor::second_bias, at.column, bias_spread)),
                 x[static_cast<std::size_t>(at.column)]);
}

}  // namespace ablate::mlp
