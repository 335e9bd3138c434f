#include <cmath>
#include <vector>

#include "oracles/mlp/exact.h"

namespace ablate::mlp {

using dense_layers::float_of_bf16;
using dense_layers::generated_bf16;
using dense_layers::generated_number;
using dense_layers::product_sum;
using dense_layers::tensor;

namespace {

double made(const checked_problem& p, tensor of, std::int64_t at, float spread) {
  return float_of_bf16(generated_bf16(p.seed, of, at, spread));
}
double first_weight(const checked_problem& p, std::int64_t row, std::int64_t column) {
  return made(p, tensor::weight, row * p.channels + column, p.first_spread);
}
double second_weight(const checked_problem& p, std::int64_t row, std::int64_t column) {
  return made(p, tensor::second_weight, row * p.hidden_columns() + column, p.second_spread);
}
double gamma_at(const checked_problem& p, std::int64_t channel) {
  return generated_number(p.seed, tensor::gamma, channel, gamma_spread, 1);
}

/// A row of X, and what its norm takes of it: x̂, and 1 / deviation.
struct host_row {
  std::vector<double> x, normalized;
  double inverse = 0;

  host_row(const checked_problem& p, std::int64_t row) {
    const auto c = static_cast<double>(p.channels);
    double mean = 0, variance = 0;
    for (std::int64_t d = 0; d < p.channels; ++d)
      x.push_back(made(p, tensor::input, row * p.channels + d, 1));
    for (const double value : x) mean += value / c;
    for (const double value : x) variance += (value - mean) * (value - mean) / c;
    inverse = 1 / std::sqrt(variance + 1e-5);
    for (const double value : x) normalized.push_back((value - mean) * inverse);
  }
  /// LN(X).
  double normed(const checked_problem& p, std::int64_t channel) const {
    return normalized[static_cast<std::size_t>(channel)] * gamma_at(p, channel) +
           generated_number(p.seed, tensor::beta, channel, beta_spread);
  }
};

judged element_of_y(const checked_problem& p, const sampled_element& at) {
  const std::int64_t c = p.channels, h = p.hidden_columns();
  const host_row row(p, at.row);
  std::vector<double> normed;
  for (std::int64_t d = 0; d < c; ++d) normed.push_back(row.normed(p, d));
  product_sum sum;
  for (std::int64_t j = 0; j < h; ++j) {
    product_sum parts[2];
    double bias[2];
    for (std::int64_t part = 0; part < (p.kind == kind::swiglu ? 2 : 1); ++part) {
      for (std::int64_t d = 0; d < c; ++d)
        parts[part].add(normed[static_cast<std::size_t>(d)], first_weight(p, j + part * h, d));
      bias[part] = made(p, tensor::bias, j + part * h, bias_spread);
    }
    sum.add(exact_hidden(p.kind, parts, bias), second_weight(p, at.column, j));
  }
  return exact_y(sum, made(p, tensor::second_bias, at.column, bias_spread),
                 row.x[static_cast<std::size_t>(at.column)]);
}

/// Z of a row's hidden column: gate and other half, or the one.
void load_z(const checked_problem& p, std::int64_t row, std::int64_t column, double (&z)[2]) {
  for (std::int64_t part = 0; part < (p.kind == kind::swiglu ? 2 : 1); ++part)
    z[part] = made(p, generated_z, row * p.first_columns() + column + part * p.hidden_columns(), 1);
}

/// dZ of a row at a column of Z.
double z_gradient(const checked_problem& p, std::int64_t row, std::int64_t column) {
  const std::int64_t h = p.hidden_columns(), hidden = column % h;
  double of_hidden = 0, z[2];
  for (std::int64_t d = 0; d < p.channels; ++d)
    of_hidden += made(p, tensor::gradient, row * p.channels + d, 1) * second_weight(p, d, hidden);
  load_z(p, row, hidden, z);
  return exact_z_gradient(p.kind, static_cast<int>(column / h), of_hidden, z);
}

/// Of all channels.
std::vector<judged_sum> normed_gradients(const checked_problem& p, std::int64_t row) {
  std::vector<product_sum> sums(static_cast<std::size_t>(p.channels));
  for (std::int64_t n = 0; n < p.first_columns(); ++n) {
    const double of_z = z_gradient(p, row, n);
    for (std::int64_t d = 0; d < p.channels; ++d)
      sums[static_cast<std::size_t>(d)].add(of_z, first_weight(p, n, d));
  }
  std::vector<judged_sum> gradients;
  for (const product_sum& sum : sums) gradients.push_back(exact_normed_gradient(sum));
  return gradients;
}

judged element_of_input_gradient(const checked_problem& p, const sampled_element& at) {
  const host_row row(p, at.row);
  const std::vector<judged_sum> normed = normed_gradients(p, at.row);
  gradient_means means{};
  for (std::size_t d = 0; d < normed.size(); ++d) {
    const double gamma = gamma_at(p, static_cast<std::int64_t>(d)), share = 1.0 / p.channels;
    means.gradient += normed[d].expected * gamma * share;
    means.product += normed[d].expected * gamma * row.normalized[d] * share;
    means.off += std::abs(gamma) * normed[d].tolerance * share;
  }
  const auto d = static_cast<std::size_t>(at.column);
  return exact_input_gradient(normed[d], gamma_at(p, at.column), row.normalized[d], row.inverse, means,
                              made(p, tensor::gradient, at.row * p.channels + at.column, 1));
}

judged element_of_weights(const checked_problem& p, const sampled_element& at) {
  const bool is_first = static_cast<output>(at.of) == output::first_gradient;
  const bool is_bias = at.column + 1 == p.columns_of(static_cast<output>(at.of));
  dense_layers::row_product_sum sum;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    double z[2];
    if (is_first) {
      sum.add(z_gradient(p, row, at.row), is_bias ? 1 : host_row(p, row).normed(p, at.column),
              p.is_alike(row));
    } else {
      if (!is_bias) load_z(p, row, at.column, z);
      sum.add(made(p, tensor::gradient, row * p.channels + at.row, 1), is_bias ? 1 : hidden_of(p.kind, z),
              p.is_alike(row));
    }
  }
  return is_first ? exact_first_gradient(sum) : exact_second_gradient(sum);
}

judged element_of_norm(const checked_problem& p, const sampled_element& at) {
  norm_gradient_sum sum;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const auto d = static_cast<std::size_t>(at.column);
    sum.add(normed_gradients(p, row)[d], at.row == 0 ? host_row(p, row).normalized[d] : 1, p.is_alike(row));
  }
  return sum.right();
}

}  // namespace

judged reference_element(const checked_problem& p, const sampled_element& at) {
  switch (static_cast<output>(at.of)) {
    case output::y:
      return element_of_y(p, at);
    case output::input_gradient:
      return element_of_input_gradient(p, at);
    case output::norm_gradient:
      return element_of_norm(p, at);
    default:
      return element_of_weights(p, at);
  }
}

}  // namespace ablate::mlp
