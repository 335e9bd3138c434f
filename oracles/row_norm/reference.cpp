#include <algorithm>
#include <cmath>
#include <vector>

#include "oracles/row_norm/exact.h"

namespace ablate::row_norm {

using dense_layers::float_of_bf16;
using dense_layers::judged;
using dense_layers::tensor;

bool checked_problem::has(output of) const {
  switch (of) {
    case output::out:
      return !is_backward;
    case output::sum:
      return !is_backward && kind == kind::residual_layer;
    case output::statistics:
      return !is_backward && kind == kind::batch_training;
    case output::branch_gradient:
      return is_backward && kind == kind::residual_layer && drop > 0;
    default:
      return is_backward;
  }
}

std::size_t plain_bytes(const problem& p) {
  return sizeof(double) * static_cast<std::size_t>(plain_of_row * p.rows + plain_of_channel * p.channels);
}

namespace {

struct host_row {
  std::vector<double> x;
  moments m;
};

double number(const checked_problem& p, tensor of, std::int64_t row, std::int64_t column) {
  return float_of_bf16(generated_element(p, of, row * p.channels + column));
}

/// A row as it is normalized: of residual_layer s, rounded, forward; the input itself, backward.
host_row row_of(const checked_problem& p, std::int64_t row) {
  host_row r;
  const bool adds = p.kind == kind::residual_layer && !p.is_backward;
  for (std::int64_t d = 0; d < p.channels; ++d) {
    double x = number(p, tensor::input, row, d);
    if (adds) {
      const float scale = branch_scale(p.seed, p.drop, row);
      x = float_of_bf16(dense_layers::bf16_of(
          std::fma(static_cast<float>(number(p, tensor::branch, row, d)), scale, static_cast<float>(x))));
    }
    r.x.push_back(x);
  }
  double mean = 0, variance = 0;
  for (const double x : r.x) mean += x / p.channels;
  for (const double x : r.x) variance += (x - mean) * (x - mean) / p.channels;
  r.m = {mean, 1 / std::sqrt(variance + static_cast<double>(layer_epsilon))};
  return r;
}

}  // namespace

oracle::oracle(const checked_problem& p) : p_(p) {}

const oracle::channel_sums& oracle::sums_of(std::int64_t channel) {
  if (known_channel_ == channel) return known_;
  known_channel_ = channel;
  known_ = {};
  const auto n = static_cast<double>(p_.valid);
  known_.mean = generated_parameter(p_, tensor::mean, channel);
  known_.variance = generated_parameter(p_, tensor::variance, channel);
  if (p_.kind == kind::batch_training && !p_.is_backward) {
    double mean = 0, squares = 0;
    for (std::int64_t row = 0; row < p_.valid; ++row) mean += number(p_, tensor::input, row, channel) / n;
    for (std::int64_t row = 0; row < p_.valid; ++row) {
      const double apart = number(p_, tensor::input, row, channel) - mean;
      squares += apart * apart;
    }
    known_.mean = mean;
    known_.variance = squares / n;
    known_.batch_variance = squares / std::max(n - 1, 1.0);
  }
  if (!p_.is_backward) return known_;
  const double gamma = generated_parameter(p_, tensor::gamma, channel),
               beta = generated_parameter(p_, tensor::beta, channel);
  for (std::int64_t row = 0; row < p_.valid; ++row) {
    moments m = {known_.mean, 1 / std::sqrt(known_.variance + static_cast<double>(batch_epsilon))};
    if (p_.is_layer()) m = row_of(p_, row).m;
    const double normalized = (number(p_, tensor::input, row, channel) - m.mean) * m.inverse_deviation;
    const double gradient = number(p_, tensor::gradient, row, channel);
    const double g = gradient_of_norm(p_, gradient, normalized, gamma, beta);
    const double rounded = rounded_terms(p_, gradient, g);
    known_.gradients += g;
    known_.with_normalized += g * normalized;
    known_.squares[0] += rounded * normalized * rounded * normalized;
    known_.squares[1] += rounded * rounded;
    known_.magnitudes[0] += std::abs(rounded * normalized);
    known_.magnitudes[1] += std::abs(rounded);
  }
  return known_;
}

judged oracle::at(const sampled_element& e) {
  const auto of = static_cast<output>(e.of);
  const std::int64_t channel = e.column;
  const double gamma = generated_parameter(p_, tensor::gamma, channel),
               beta = generated_parameter(p_, tensor::beta, channel);
  if (of == output::statistics) {
    const channel_sums& s = sums_of(channel);
    const double kept = static_cast<double>(momentum);
    const double values[4] = {
        s.mean, 1 / std::sqrt(s.variance + static_cast<double>(batch_epsilon)),
        (1 - kept) * generated_parameter(p_, tensor::mean, channel) + kept * s.mean,
        (1 - kept) * generated_parameter(p_, tensor::variance, channel) + kept * s.batch_variance};
    const double value = values[e.row];
    return {value, 1e-5 * std::max(std::abs(value), std::sqrt(s.variance))};
  }
  if (of == output::parameter_gradients) {
    const channel_sums& s = sums_of(channel);
    return exact_parameter_gradient(e.row == 0 ? s.with_normalized : s.gradients, s.squares[e.row],
                                    s.magnitudes[e.row]);
  }
  if (e.row >= p_.valid) return padding();
  const auto d = static_cast<std::size_t>(channel);
  const double scale = branch_scale(p_.seed, p_.drop, e.row);
  if (of == output::sum)
    return exact_sum(number(p_, tensor::input, e.row, channel), number(p_, tensor::branch, e.row, channel),
                     scale);
  if (!p_.is_layer()) {
    const channel_sums& s = sums_of(channel);
    const moments m = {s.mean, 1 / std::sqrt(s.variance + static_cast<double>(batch_epsilon))};
    const double x = number(p_, tensor::input, e.row, channel);
    if (of == output::out) return exact_out(p_, x, 0, m, gamma, beta);
    const double normalized = (x - m.mean) * m.inverse_deviation, n = static_cast<double>(p_.valid);
    const double g =
        gradient_of_norm(p_, number(p_, tensor::gradient, e.row, channel), normalized, gamma, beta);
    return exact_layer_gradient(g * gamma, normalized, m, s.gradients * gamma / n,
                                s.with_normalized * gamma / n, 0);
  }
  const host_row row = row_of(p_, e.row);
  if (of == output::out) {
    // A branch scaled in a launch of its own is rounded there: s may differ from the exact value here.
    const double scaled =
        p_.drop > 0 && !p_.is_backward ? scale * number(p_, tensor::branch, e.row, channel) : 0;
    const double off =
        scaled == 0 ? 0 : 2 * (dense_layers::bf16_rounding(scaled) + dense_layers::bf16_rounding(row.x[d]));
    return exact_out(p_, row.x[d], off, row.m, gamma, beta);
  }
  double mean_gradient = 0, mean_product = 0;
  for (std::int64_t i = 0; i < p_.channels; ++i) {
    const double g = number(p_, tensor::gradient, e.row, i) * generated_parameter(p_, tensor::gamma, i);
    mean_gradient += g / p_.channels;
    mean_product +=
        g * (row.x[static_cast<std::size_t>(i)] - row.m.mean) * row.m.inverse_deviation / p_.channels;
  }
  const double added = p_.kind == kind::residual_layer ? number(p_, tensor::sum_gradient, e.row, channel) : 0;
  const judged of_sum = exact_layer_gradient(number(p_, tensor::gradient, e.row, channel) * gamma,
                                             (row.x[d] - row.m.mean) * row.m.inverse_deviation, row.m,
                                             mean_gradient, mean_product, added);
  return of == output::branch_gradient ? exact_branch_gradient(of_sum, scale) : of_sum;
}

}  // namespace ablate::row_norm
