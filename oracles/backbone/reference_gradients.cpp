#include "oracles/backbone/reference_gradients.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/bf16.h"
#include "kernels/common/dense/activation.h"
#include "kernels/common/half.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "oracles/backbone/exact_product.h"

namespace ablate::backbone {
namespace {

constexpr double epsilon_of_layer_norm = 1e-5;

double number_of(std::uint16_t bits) { return static_cast<double>(float_of_bf16(bits)); }

std::size_t index_of(std::int64_t i) { return static_cast<std::size_t>(i); }

/// x̂ of a row, and 1 / √(variance + ε).
struct standardized_row {
  std::vector<double> x;
  double inverse;

  standardized_row(const double* row, std::size_t c) : x(row, row + c) {
    double mean = 0, variance = 0;
    for (const double e : x) mean += e / static_cast<double>(c);
    for (const double e : x) variance += (e - mean) * (e - mean) / static_cast<double>(c);
    inverse = 1 / std::sqrt(variance + epsilon_of_layer_norm);
    for (double& e : x) e = (e - mean) * inverse;
  }
};

}  // namespace

gradient_evaluator::gradient_evaluator(const problem& p, const network& n, const rounder& rounded)
    : p_(p), n_(n), rounded_(rounded), parameters_(index_of(n.gradients.elements)) {}

void gradient_evaluator::round(values& all) const {
  for (double& x : all) x = rounded_(x);
}

gradient_evaluator::values gradient_evaluator::of_step(const step& s, const std::vector<values>& tensors) {
  const values& gradient = tensors[index_of(s.in)];
  switch (s.kind) {
    case step_kind::pool_gradient:
      return of_pool(s, gradient, tensors);
    case step_kind::drop_gradient: {
      values branch = kept_of_branch(s, gradient);
      round(branch);
      return branch;
    }
    case step_kind::from_windows_gradient:
    case step_kind::into_windows_gradient:
      return of_moved(s, gradient);
    case step_kind::unpool_gradient:
      return of_unpool(s, gradient);
    case step_kind::restore_gradient:
      return of_restore(s, gradient);
    case step_kind::embed_gradient:
      return of_embed(s, gradient);
    default:
      return of_kept(s, gradient, tensors);
  }
}

gradient_evaluator::values gradient_evaluator::of_kept(const step& s, const values& gradient,
                                                       const std::vector<values>& tensors) {
  const values& kept = tensors[index_of(s.kept)];
  switch (s.kind) {
    case step_kind::batch_gradient:
      return of_batch(s, gradient, kept);
    case step_kind::linear_gradient:
      return of_linear(s, gradient, kept);
    case step_kind::norm_gradient:
      return of_norm(s.norm, gradient, kept, s.beside < 0 ? values() : tensors[index_of(s.beside)]);
    case step_kind::mlp_gradient:
      return of_mlp(s, gradient, tensors[index_of(s.beside < 0 ? s.in : s.beside)], kept,
                    tensors[index_of(s.written)]);
    case step_kind::convolution_gradient:
      return of_convolution(s, gradient, kept);
    default:
      return of_attention(s, gradient, kept);
  }
}

gradient_evaluator::values gradient_evaluator::of_rows(int number, const values& gradient) const {
  const layer& of = n_.layer_at(number);
  const std::uint16_t* const weight = p_.matrices + n_.place_at(number).matrix;
  const std::size_t k = index_of(of.inputs), outputs = index_of(of.outputs), rows = gradient.size() / outputs;
  values weights, x_gradient(rows * k);
  for (std::size_t i = 0; i < outputs * k; ++i) weights.push_back(number_of(weight[i]));
  add_product(x_gradient.data(), rows, k, outputs, {gradient.data(), outputs, 1}, {weights.data(), k, 1});
  return x_gradient;
}

void gradient_evaluator::add_layer(int number, const values& gradient, const values& x) {
  const layer& of = n_.layer_at(number);
  const gradient_place& at = n_.gradients.of[index_of(number)];
  double* const weight = parameters_.data() + at.matrix;
  double* const bias = parameters_.data() + at.vectors;
  const std::size_t k = index_of(of.inputs), outputs = index_of(of.outputs), rows = gradient.size() / outputs;
  add_product(weight, outputs, k, rows, {gradient.data(), 1, outputs}, {x.data(), k, 1});
  for (std::size_t i = 0; i < gradient.size(); ++i) bias[i % outputs] += gradient[i];
}

gradient_evaluator::values gradient_evaluator::normed(int number, const values& x) const {
  const std::size_t c = index_of(n_.layer_at(number).outputs);
  const float* const gamma = p_.vectors + n_.place_at(number).vectors;
  values y;
  for (std::size_t first = 0; first < x.size(); first += c) {
    const standardized_row row(x.data() + first, c);
    for (std::size_t i = 0; i < c; ++i)
      y.push_back(rounded_(row.x[i] * static_cast<double>(gamma[i]) + static_cast<double>(gamma[c + i])));
  }
  return y;
}

gradient_evaluator::values gradient_evaluator::of_norm(int number, const values& gradient, const values& x,
                                                       const values& beside) {
  const std::size_t c = index_of(n_.layer_at(number).outputs);
  const float* const gamma = p_.vectors + n_.place_at(number).vectors;
  double* const parameters = parameters_.data() + n_.gradients.of[index_of(number)].vectors;
  values x_gradient;
  for (std::size_t first = 0; first < x.size(); first += c) {
    const standardized_row row(x.data() + first, c);
    double mean = 0, product = 0;
    for (std::size_t i = 0; i < c; ++i) {
      const double g = gradient[first + i];
      parameters[i] += g * row.x[i];
      parameters[c + i] += g;
      mean += g * static_cast<double>(gamma[i]) / static_cast<double>(c);
      product += g * static_cast<double>(gamma[i]) * row.x[i] / static_cast<double>(c);
    }
    for (std::size_t i = 0; i < c; ++i) {
      const double of_row =
          row.inverse * (gradient[first + i] * static_cast<double>(gamma[i]) - mean - row.x[i] * product);
      x_gradient.push_back(rounded_(of_row + (beside.empty() ? 0 : beside[first + i])));
    }
  }
  return x_gradient;
}

gradient_evaluator::values gradient_evaluator::of_linear(const step& s, const values& gradient,
                                                         const values& kept) {
  add_layer(s.layer, gradient, kept);
  values x_gradient = of_rows(s.layer, gradient);
  round(x_gradient);
  return x_gradient;
}

gradient_evaluator::values gradient_evaluator::of_mlp(const step& s, const values& gradient,
                                                      const values& beside, const values& kept,
                                                      const values& z) {
  const std::size_t columns = index_of(n_.layer_at(s.layer).outputs),
                    h = index_of(n_.layer_at(s.second).inputs);
  const values of_hidden = of_rows(s.second, gradient);
  values hidden(of_hidden.size()), z_gradient(z.size());
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const std::size_t at = i / h * columns + i % h;
    const double first = z[at];
    if (n_.of.gates_mlps()) {
      const double up = z[at + h];
      hidden[i] = rounded_(dense_layers::silu(first) * up);
      z_gradient[at] = rounded_(of_hidden[i] * up * dense_layers::silu_slope(first));
      z_gradient[at + h] = rounded_(of_hidden[i] * dense_layers::silu(first));
    } else {
      hidden[i] = rounded_(dense_layers::gelu_erf(first));
      z_gradient[at] = rounded_(of_hidden[i] * dense_layers::gelu_erf_slope(first));
    }
  }
  add_layer(s.second, gradient, hidden);
  add_layer(s.layer, z_gradient, normed(s.norm, kept));
  values of_normed = of_rows(s.layer, z_gradient);
  round(of_normed);
  return of_norm(s.norm, of_normed, kept, beside);
}

namespace {

/// A channel's mean and 1 / √(variance + ε) over the real rows.
struct channel_moments {
  double mean = 0, inverse = 0;

  channel_moments(const std::vector<double>& x, std::size_t real, std::size_t c, std::size_t channel) {
    double variance = 0;
    for (std::size_t row = 0; row < real; ++row) mean += x[row * c + channel] / static_cast<double>(real);
    for (std::size_t row = 0; row < real; ++row)
      variance += std::pow(x[row * c + channel] - mean, 2) / static_cast<double>(real);
    inverse = 1 / std::sqrt(variance + static_cast<double>(pool::norm_epsilon));
  }
};

}  // namespace

gradient_evaluator::values gradient_evaluator::batch_normed(const step& s, const values& x) const {
  const std::size_t c = index_of(s.channels), real = index_of(n_.level_at(s.level).real);
  const float* const gamma = p_.vectors + n_.place_at(s.layer).vectors + 2 * s.channels;
  values y(index_of(n_.level_at(s.level).rows) * c);
  for (std::size_t channel = 0; channel < c; ++channel) {
    const channel_moments m(x, real, c, channel);
    for (std::size_t i = channel; i < real * c; i += c)
      y[i] =
          rounded_(dense_layers::gelu_erf((x[i] - m.mean) * m.inverse * static_cast<double>(gamma[channel]) +
                                          static_cast<double>(gamma[c + channel])));
  }
  return y;
}

gradient_evaluator::values gradient_evaluator::of_batch(const step& s, const values& gradient,
                                                        const values& x) {
  const std::size_t c = index_of(s.channels), real = index_of(n_.level_at(s.level).real);
  const float* const gamma = p_.vectors + n_.place_at(s.layer).vectors + 2 * s.channels;
  double* const parameters = parameters_.data() + n_.gradients.of[index_of(s.layer)].vectors;
  values x_gradient(x.size());
  for (std::size_t channel = 0; channel < c; ++channel) {
    const channel_moments m(x, real, c, channel);
    const auto of_gamma = static_cast<double>(gamma[channel]);
    double sum = 0, product = 0;
    for (std::size_t i = channel; i < real * c; i += c) {
      const double normalized = (x[i] - m.mean) * m.inverse;
      x_gradient[i] = gradient[i] * dense_layers::gelu_erf_slope(normalized * of_gamma +
                                                                 static_cast<double>(gamma[c + channel]));
      sum += x_gradient[i];
      product += x_gradient[i] * normalized;
    }
    parameters[channel] += product;
    parameters[c + channel] += sum;
    const auto n = static_cast<double>(real);
    for (std::size_t i = channel; i < real * c; i += c)
      x_gradient[i] = rounded_(of_gamma * m.inverse *
                               (x_gradient[i] - sum / n - (x[i] - m.mean) * m.inverse * product / n));
  }
  return x_gradient;
}

gradient_evaluator::values gradient_evaluator::pooled(const step& s, const values& x) const {
  const pool::problem pooling = pooling_of(p_, n_, s);
  const std::size_t c = index_of(s.channels);
  values y(index_of(n_.level_at(s.level + 1).rows) * c);
  for (std::size_t row = 0; row < index_of(pooling.rows); ++row)
    for (std::size_t i = 0; i < c; ++i) {
      double sum = 0, greatest = -INFINITY;
      for (std::uint32_t k = pooling.start[row]; k < pooling.start[row + 1]; ++k) {
        sum += x[pooling.member[k] * c + i];
        greatest = std::max(greatest, x[pooling.member[k] * c + i]);
      }
      y[row * c + i] =
          rounded_(pooling.selects() ? greatest : sum / (pooling.start[row + 1] - pooling.start[row]));
    }
  return y;
}

gradient_evaluator::values gradient_evaluator::kept_of_branch(const step& s, const values& branch) const {
  const std::size_t c = index_of(s.channels);
  values kept;
  for (std::size_t i = 0; i < branch.size(); ++i)
    kept.push_back(
        static_cast<double>(row_norm::branch_scale(s.drop_seed, s.drop, static_cast<std::int64_t>(i / c))) *
        branch[i]);
  return kept;
}

/// Of a cluster all goes to the first of its greatest rows.
gradient_evaluator::values gradient_evaluator::of_maximum(const step& s, const values& gradient,
                                                          const values& x) const {
  const pool::problem pooling = pooling_of(p_, n_, s);
  const std::size_t c = index_of(s.channels);
  values y(index_of(n_.level_at(s.level).rows) * c);
  for (std::size_t row = 0; row < index_of(pooling.rows); ++row)
    for (std::size_t i = 0; i < c; ++i) {
      std::size_t winner = pooling.member[pooling.start[row]];
      for (std::uint32_t k = pooling.start[row] + 1; k < pooling.start[row + 1]; ++k)
        if (x[pooling.member[k] * c + i] > x[winner * c + i]) winner = pooling.member[k];
      y[winner * c + i] = gradient[row * c + i];
    }
  return y;
}

/// Of slots, from the rows that they represent; or of rows, from all slots that read them.
gradient_evaluator::values gradient_evaluator::of_moved(const step& s, const values& gradient) const {
  const window_index by = windows_of(p_, n_, s);
  const level& of = n_.level_at(s.level);
  const bool is_back = s.kind == step_kind::from_windows_gradient;
  const std::size_t c = index_of(is_back ? s.channels : 3 * s.channels);
  values y(index_of(is_back ? of.slots : of.rows) * c);
  for (std::size_t slot = 0; slot < index_of(of.slots); ++slot) {
    const std::size_t row = index_of(by.row_of_slot[slot]);
    if (is_back && index_of(by.slot_of_row[row]) != slot) continue;
    const std::size_t from = is_back ? row : slot, to = is_back ? slot : row;
    for (std::size_t i = 0; i < c; ++i) y[to * c + i] += gradient[from * c + i];
  }
  round(y);
  return y;
}

/// Pair by pair: what an out row sends to the row that it took, and to the weights between them.
gradient_evaluator::values gradient_evaluator::of_convolution(const step& s, const values& gradient,
                                                              const values& x) {
  const sparse_conv::problem conv = convolution_gradient_of(p_, n_, s);
  const gradient_place& at = n_.gradients.of[index_of(s.layer)];
  double* const of_weights = parameters_.data() + at.matrix;
  double* const of_bias = parameters_.data() + at.vectors;
  const std::size_t in = index_of(conv.in_channels), out = index_of(conv.out_channels),
                    rows = index_of(conv.rows), offsets = index_of(conv.offsets());
  values weights, x_gradient(s.out < 0 ? 0 : rows * in);
  for (std::int64_t i = 0; i < conv.weight_count(); ++i) weights.push_back(number_of(conv.weights[i]));
  for (std::size_t row = 0; row < rows; ++row) {
    const double* const arriving = gradient.data() + row * out;
    for (std::size_t o = 0; conv.has_bias && o < out; ++o) of_bias[o] += arriving[o];
    for (std::size_t q = 0; q < offsets; ++q) {
      if (conv.table[q * rows + row] < 0) continue;
      const std::size_t neighbor = index_of(conv.table[q * rows + row]);
      for (std::size_t o = 0; o < out; ++o)
        for (std::size_t i = 0; i < in; ++i) {
          const std::size_t weight = (o * offsets + q) * in + i;
          of_weights[weight] += arriving[o] * x[neighbor * in + i];
          if (s.out >= 0) x_gradient[neighbor * in + i] += arriving[o] * weights[weight];
        }
    }
  }
  round(x_gradient);
  return x_gradient;
}

gradient_evaluator::values gradient_evaluator::of_pool(const step& s, const values& gradient,
                                                       const std::vector<values>& tensors) const {
  if (s.kept >= 0) return of_maximum(s, gradient, tensors[index_of(s.kept)]);
  const pool::problem pooling = pooling_of(p_, n_, s);
  const std::size_t c = index_of(s.channels);
  values y(index_of(n_.level_at(s.level).rows) * c);
  for (std::size_t row = 0; row < index_of(pooling.points); ++row) {
    const std::uint32_t of = pooling.cluster[row];
    for (std::size_t i = 0; i < c; ++i)
      y[row * c + i] = rounded_(gradient[of * c + i] / (pooling.start[of + 1] - pooling.start[of]));
  }
  return y;
}

gradient_evaluator::values gradient_evaluator::of_unpool(const step& s, const values& gradient) const {
  const pool::problem pooling = pooling_of(p_, n_, s);
  const std::size_t c = index_of(s.channels);
  values y(index_of(n_.level_at(s.level + 1).rows) * c);
  for (std::size_t row = 0; row < index_of(pooling.points); ++row)
    for (std::size_t i = 0; i < c; ++i) y[pooling.cluster[row] * c + i] += gradient[row * c + i];
  round(y);
  return y;
}

gradient_evaluator::values gradient_evaluator::of_restore(const step& s, const values& gradient) const {
  const std::size_t c = index_of(s.channels);
  const std::uint32_t* const source = source_of(p_, n_);
  values y(index_of(n_.level_at(0).rows) * c);
  for (std::size_t row = 0; row < index_of(n_.points()); ++row)
    for (std::size_t i = 0; i < c; ++i) y[row * c + i] = gradient[source[row] * c + i];
  return y;
}

/// Padding is at the origin.
gradient_evaluator::values gradient_evaluator::of_embed(const step& s, const values& gradient) {
  values meters(index_of(3 * n_.level_at(0).rows));
  for (std::int64_t i = 0; i < 3 * n_.points(); ++i)
    meters[index_of(i)] = static_cast<double>(float_of_half(coordinates_of(p_, n_, 0)[i]));
  add_layer(s.layer, gradient, meters);
  return {};
}

/// Rows of one head of a window, [rows][width], and the gradients of Q, K and V.
struct gradient_evaluator::head_rows {
  values q, k, v, out_gradient;
  values q_gradient = values(q.size()), k_gradient = q_gradient, v_gradient = q_gradient;
};

void gradient_evaluator::add_gradients(head_rows& head, std::size_t first, std::size_t count,
                                       std::size_t width) const {
  const std::size_t keys = head.k.size() / width;
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  const double *const q = head.q.data() + first * width, *const out_gradient =
                                                             head.out_gradient.data() + first * width;
  values weights(count * keys), of_scores(count * keys);
  add_product(weights.data(), count, keys, width, {q, width, 1}, {head.k.data(), 1, width});
  add_product(of_scores.data(), count, keys, width, {out_gradient, width, 1}, {head.v.data(), 1, width});
  for (std::size_t query = 0; query < count; ++query) {
    double *const p = weights.data() + query * keys, *const products = of_scores.data() + query * keys;
    const double most = *std::max_element(p, p + keys);
    double sum = 0, delta = 0;
    for (std::size_t j = 0; j < keys; ++j) sum += p[j] = std::exp((p[j] - most) * scale);
    for (std::size_t j = 0; j < keys; ++j) delta += (p[j] /= sum) * products[j];
    for (std::size_t j = 0; j < keys; ++j) {
      products[j] = scale * rounded_(p[j] * (products[j] - delta));
      p[j] = rounded_(p[j]);
    }
  }
  add_product(head.q_gradient.data() + first * width, count, width, keys, {of_scores.data(), keys, 1},
              {head.k.data(), width, 1});
  add_product(head.k_gradient.data(), keys, width, count, {of_scores.data(), 1, keys}, {q, width, 1});
  add_product(head.v_gradient.data(), keys, width, count, {weights.data(), 1, keys},
              {out_gradient, width, 1});
}

/// Window by window and head by head, a few queries at a time.
gradient_evaluator::values gradient_evaluator::of_attention(const step& s, const values& gradient,
                                                            const values& qkv) const {
  const std::int64_t window = n_.shape.window, bucket = n_.shape.bucket;
  const std::size_t c = index_of(s.channels), width = c / index_of(s.heads);
  values all(qkv.size());
  std::vector<std::size_t> rows(index_of(window));
  for (std::int64_t w = 0; w * window < n_.level_at(s.level).slots; ++w) {
    for (std::int64_t t = 0; t < window; ++t)
      rows[index_of(t)] =
          index_of(p_.windows[s.windows_at + w * (window / bucket) + t / bucket] * bucket + t % bucket);
    for (std::size_t first = 0; first < c; first += width) {
      const double* const from = qkv.data() + first;
      head_rows head{picked_rows(from, 3 * c, width, rows), picked_rows(from + c, 3 * c, width, rows),
                     picked_rows(from + 2 * c, 3 * c, width, rows),
                     picked_rows(gradient.data() + first, c, width, rows)};
      for (std::size_t query = 0; query < rows.size(); query += queries_at_once)
        add_gradients(head, query, std::min(queries_at_once, rows.size() - query), width);
      double* const to = all.data() + first;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        std::copy_n(head.q_gradient.data() + i * width, width, to + rows[i] * 3 * c);
        std::copy_n(head.k_gradient.data() + i * width, width, to + rows[i] * 3 * c + c);
        std::copy_n(head.v_gradient.data() + i * width, width, to + rows[i] * 3 * c + 2 * c);
      }
    }
  }
  round(all);
  return all;
}

}  // namespace ablate::backbone
