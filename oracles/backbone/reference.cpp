#include "oracles/backbone/reference.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "kernels/common/bf16.h"
#include "kernels/common/dense/activation.h"
#include "kernels/common/half.h"
#include "kernels/network/parts.h"
#include "kernels/ptv3/parts.h"
#include "oracles/backbone/exact_product.h"
#include "oracles/backbone/reference_gradients.h"
#include "oracles/backbone/rounder.h"
#include "oracles/pool/exact_rows.h"

namespace ablate::backbone {
namespace {

using values = std::vector<double>;

double bf16_value(std::uint16_t bits) { return static_cast<double>(float_of_bf16(bits)); }

class evaluator {
 public:
  evaluator(const problem& p, const network& n, const rounder& rounded)
      : p_(p), n_(n), rounded_(rounded), of_(n.tensors.size()), gradients_(p, n, rounded) {}

  /// Without gradients only the steps before these.
  pass_values run(const step_watcher& watcher, bool wants_gradients) {
    for (std::size_t i = 0; i < n_.tensors.size(); ++i) {
      const tensor& t = n_.tensors[i];
      if (t.at == tensor::home::input) of_[i] = given(p_.x, t.bytes / 2);
      if (t.at == tensor::home::output_gradient) of_[i] = given(p_.out_gradient, t.bytes / 2);
    }
    pass_values left;
    for (const step& s : n_.steps) {
      if (!wants_gradients && is_gradient(s.kind)) break;
      if (watcher) watcher(s, of_);
      if (s.out >= 0)
        of_[place(s.out)] = computed(s);
      else if (is_gradient(s.kind))
        gradients_.of_step(s, of_);
      if (s.next >= 0) of_[place(s.next)] = normed_behind(s);
      forget(s);
    }
    for (std::size_t i = 0; i < n_.tensors.size(); ++i) {
      if (n_.tensors[i].at == tensor::home::output) left.out = std::move(of_[i]);
      if (n_.tensors[i].at == tensor::home::input_gradient) left.x_gradient = std::move(of_[i]);
    }
    left.gradients = gradients_.take();
    return left;
  }

 private:
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }
  static values given(const std::uint16_t* bits, std::int64_t count) {
    values all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(bf16_value(bits[i]));
    return all;
  }
  const level& level_of(const step& s) const { return n_.levels[place(s.level)]; }
  std::int64_t rows_of(const step& s) const { return level_of(s).rows; }

  void round(values& all) const {
    for (double& x : all) x = rounded_(x);
  }

  void forget(const step& s) {
    const int number = static_cast<int>(&s - n_.steps.data());
    for (const int i : {s.in, s.skip, s.kept, s.written, s.beside})
      if (i >= 0 && n_.tensors[place(i)].last == number && n_.tensors[place(i)].at == tensor::home::arena)
        of_[place(i)] = {};
  }

  values computed(const step& s) {
    switch (s.kind) {
      case step_kind::embed:
        return embedded(s);
      case step_kind::linear:
        return layer_of(s, of_[place(s.in)]);
      case step_kind::add:
        return with_residual(of_[place(s.in)], s.skip);
      case step_kind::activate:
        return activated_rows(s);
      case step_kind::attention:
        return attended(s);
      case step_kind::mlp:
        return whole_mlp(s);
      case step_kind::reduce:
        return reduced_rows(s);
      case step_kind::unpool:
        return unpooled(s);
      case step_kind::take:
        return taken(s);
      case step_kind::convolve:
        return convolved(s);
      case step_kind::batch_norm:
        return n_.trains() ? gradients_.batch_normed(s, of_[place(s.in)]) : batch_normed(s);
      case step_kind::pool:
        return gradients_.pooled(s, of_[place(s.in)]);
      case step_kind::add_dropped:
        return with_residual(gradients_.kept_of_branch(s, of_[place(s.in)]), s.skip);
      case step_kind::into_windows:
      case step_kind::from_windows:
        return moved_rows(s);
      case step_kind::leave_windows:
        return with_residual(gathered(of_[place(s.in)], windows_of(p_, n_, s).slot_of_row, rows_of(s), s),
                             s.skip);
      case step_kind::enter_windows:
      case step_kind::add_normed:
        return with_residual(normalized(s.norm, of_[place(s.in)]), s.skip);
      case step_kind::normalize:
        return normalized(s.norm, of_[place(s.in)]);
      case step_kind::pack:
        return of_[place(s.in)];  // side by side from the start
      default:
        return is_gradient(s.kind) ? gradients_.of_step(s, of_) : restored(s);
    }
  }

  values embedded(const step& s) const {
    const std::uint16_t* const coordinates = coordinates_of(p_, n_, 0);
    values x(static_cast<std::size_t>(3 * rows_of(s)));
    for (std::int64_t i = 0; i < 3 * level_of(s).real; ++i)
      x[static_cast<std::size_t>(i)] = static_cast<double>(float_of_half(coordinates[i]));
    values y = product(s.layer, x);
    round(y);
    return y;
  }

  /// x · Wᵀ + b
  values product(int number, const values& x) const {
    const layer& of = n_.layer_at(number);
    const auto k = static_cast<std::size_t>(of.inputs), outputs = static_cast<std::size_t>(of.outputs);
    const std::uint16_t* const weight = p_.matrices + n_.place_at(number).matrix;
    const float* const bias = p_.vectors + n_.place_at(number).vectors;
    const std::size_t rows = x.size() / k;
    values weights, y;
    for (std::size_t i = 0; i < outputs * k; ++i) weights.push_back(bf16_value(weight[i]));
    y.reserve(rows * outputs);
    for (std::size_t row = 0; row < rows; ++row) y.insert(y.end(), bias, bias + outputs);
    add_product(y.data(), rows, outputs, k, {x.data(), k, 1}, {weights.data(), 1, k});
    return y;
  }

  /// Layer norm, eps 1e-5.
  values normalized(int number, const values& x) const {
    const auto c = static_cast<std::size_t>(n_.layer_at(number).outputs);
    const float* const gamma = p_.vectors + n_.place_at(number).vectors;
    values y(x.size());
    for (std::size_t first = 0; first < x.size(); first += c) {
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < c; ++i) mean += x[first + i] / static_cast<double>(c);
      for (std::size_t i = 0; i < c; ++i)
        variance += std::pow(x[first + i] - mean, 2) / static_cast<double>(c);
      for (std::size_t i = 0; i < c; ++i)
        y[first + i] =
            rounded_((x[first + i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(gamma[i]) +
                     static_cast<double>(gamma[c + i]));
    }
    return y;
  }

  /// SiLU of the first half of each row times the second.
  values gated(const values& z, std::size_t columns) const {
    const std::size_t half = columns / 2;
    values y;
    for (std::size_t first = 0; first < z.size(); first += columns)
      for (std::size_t i = 0; i < half; ++i)
        y.push_back(rounded_(dense_layers::silu(z[first + i]) * z[first + half + i]));
    return y;
  }

  values with_residual(values y, int residual) const {
    const values& x = of_[place(residual)];
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = rounded_(y[i] + x[i]);
    return y;
  }

  values layer_of(const step& s, const values& x) const {
    values z = product(s.layer, s.norm < 0 ? x : normalized(s.norm, x));
    if (s.behind == linear::epilogue::swiglu)
      return gated(z, static_cast<std::size_t>(n_.layer_at(s.layer).outputs));
    if (s.behind == linear::epilogue::residual) return with_residual(std::move(z), s.skip);
    if (s.behind == linear::epilogue::gelu_erf) activate(z);
    round(z);
    return z;
  }

  static void activate(values& z) {
    for (double& element : z) element = dense_layers::gelu_erf(element);
  }

  values activated_rows(const step& s) const {
    values z = of_[place(s.in)];
    if (s.behind == linear::epilogue::swiglu) return gated(z, 2 * static_cast<std::size_t>(s.channels));
    activate(z);
    round(z);
    return z;
  }

  values whole_mlp(const step& s) const {
    values z = product(s.layer, normalized(s.norm, of_[place(s.in)]));
    if (n_.of.gates_mlps()) {
      z = gated(z, static_cast<std::size_t>(n_.layer_at(s.layer).outputs));
    } else {
      activate(z);
      round(z);
    }
    return with_residual(product(s.second, z), s.in);
  }

  /// Offset by offset, of the rows that have a neighbor there.
  values convolved(const step& s) const {
    const sparse_conv::problem conv = convolution_of(p_, n_, s);
    const auto in = static_cast<std::size_t>(conv.in_channels),
               out = static_cast<std::size_t>(conv.out_channels), rows = static_cast<std::size_t>(conv.rows),
               offsets = static_cast<std::size_t>(conv.offsets());
    values weight, y;
    for (std::int64_t i = 0; i < conv.weight_count(); ++i) weight.push_back(bf16_value(conv.weights[i]));
    const values& x = of_[place(s.in)];
    for (std::size_t row = 0; row < rows; ++row) {
      values sums = conv.has_bias ? values(conv.bias, conv.bias + out) : values(out);
      for (std::size_t q = 0; q < offsets; ++q) {
        const std::int32_t neighbor = conv.table[q * rows + row];
        if (neighbor < 0) continue;
        const double* const from = x.data() + static_cast<std::size_t>(neighbor) * in;
        for (std::size_t o = 0; o < out; ++o)
          for (std::size_t c = 0; c < in; ++c) sums[o] += from[c] * weight[(o * offsets + q) * in + c];
      }
      for (const double sum : sums) y.push_back(rounded_(sum));
    }
    return y;
  }

  values batch_normed(const step& s) const {
    const auto c = static_cast<std::size_t>(s.channels);
    const values& x = of_[place(s.in)];
    values y(static_cast<std::size_t>(rows_of(s)) * c);
    for (std::size_t channel = 0; channel < c; ++channel) {
      const pool::exact_norm norm(p_.vectors + n_.place_at(s.layer).vectors, s.channels,
                                  static_cast<int>(channel));
      for (std::size_t i = channel; i < x.size(); i += c) y[i] = rounded_(norm.finished(x[i]));
    }
    return y;
  }

  static values gathered(const values& x, const std::int32_t* from, std::int64_t rows, const step& s) {
    values y;
    for (std::int64_t i = 0; i < rows; ++i)
      y.insert(y.end(), x.begin() + from[i] * s.channels, x.begin() + (from[i] + 1) * s.channels);
    return y;
  }

  values moved_rows(const step& s) const {
    const level& of = level_of(s);
    return gathered(of_[place(s.in)], moved_by(p_, n_, s),
                    s.kind == step_kind::into_windows ? of.slots : of.real, s);
  }

  /// The sums that a step leaves, normed: of enter_windows by slot.
  values normed_behind(const step& s) const {
    values y = normalized(s.next_norm, of_[place(s.out)]);
    if (s.kind == step_kind::leave_windows) return y;
    return gathered(y, windows_of(p_, n_, s).row_of_slot, level_of(s).slots, s);
  }

  struct window_rows {
    std::vector<std::size_t> row, keys;  ///< of each token, and of those that are keys
  };

  /// A window's rows; the last one has what is left. Padding is a key where that is wanted, or where nothing
  /// else is.
  window_rows window_at(const step& s, std::int64_t w) const {
    const std::int64_t window = n_.shape.window, bucket = n_.shape.bucket, slots = level_of(s).slots;
    window_rows rows;
    for (std::int64_t t = 0; t < std::min(window, slots - w * window); ++t) {
      const std::int64_t entry = s.windows_at + w * (window / bucket) + t / bucket;
      rows.row.push_back(static_cast<std::size_t>(p_.windows[entry]) * static_cast<std::size_t>(bucket) +
                         static_cast<std::size_t>(t % bucket));
    }
    const auto valid = static_cast<std::size_t>(valid_rows(n_, level_of(s)));
    std::ranges::copy_if(rows.row, std::back_inserter(rows.keys),
                         [&](std::size_t row) { return row < valid; });
    if (rows.keys.empty()) rows.keys = rows.row;
    return rows;
  }

  values attended(const step& s) const {
    const std::int64_t window = n_.shape.window;
    const auto c = static_cast<std::size_t>(s.channels), heads = static_cast<std::size_t>(s.heads),
               width = c / heads;
    values out(of_[place(s.in)].size() / 3);
    for (std::int64_t w = 0; w * window < level_of(s).slots; ++w) {
      const window_rows rows = window_at(s, w);
      for (std::size_t head = 0; head < heads; ++head) {
        const double* const qkv = of_[place(s.in)].data() + head * width;
        const values keys = picked_rows(qkv + c, 3 * c, width, rows.keys),
                     weighed = picked_rows(qkv + 2 * c, 3 * c, width, rows.keys);
        for (std::size_t first = 0; first < rows.row.size(); first += queries_at_once) {
          const std::span queries =
              std::span(rows.row).subspan(first, std::min(queries_at_once, rows.row.size() - first));
          const values found = attend(picked_rows(qkv, 3 * c, width, queries), keys, weighed, width);
          for (std::size_t i = 0; i < queries.size(); ++i)
            std::copy_n(found.data() + i * width, width, out.data() + queries[i] * c + head * width);
        }
      }
    }
    return out;
  }

  /// Of queries of one head, from its window's keys and what these weigh.
  values attend(const values& queries, const values& keys, const values& weighed, std::size_t width) const {
    const std::size_t rows = queries.size() / width, count = keys.size() / width;
    const double scale = 1 / std::sqrt(static_cast<double>(width));
    values weights(rows * count);
    add_product(weights.data(), rows, count, width, {queries.data(), width, 1}, {keys.data(), 1, width});
    values sums;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::span scores(weights.data() + row * count, count);
      for (double& score : scores) score *= scale;
      const double most = *std::ranges::max_element(scores);
      double sum = 0;
      for (double& score : scores) {
        const double weight = std::exp(score - most);
        sum += weight;
        score = rounded_(weight);
      }
      sums.push_back(sum);
    }
    values out(rows * width);
    add_product(out.data(), rows, width, count, {weights.data(), count, 1}, {weighed.data(), width, 1});
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = rounded_(out[i] / sums[i / width]);
    return out;
  }

  /// A channel of a cluster: the mean of its rows, or the greatest.
  static double pooled(const pool::problem& pooling, std::int64_t cluster, const double* channel) {
    double sum = 0, greatest = 0;
    const std::uint32_t begin = pooling.start[cluster], end = pooling.start[cluster + 1];
    for (std::uint32_t i = begin; i < end; ++i) {
      const double x = channel[std::int64_t{pooling.member[i]} * pooling.channels];
      sum += x;
      greatest = i == begin ? x : std::max(greatest, x);
    }
    return pooling.op == pool::reduction::maximum ? greatest : sum / (end - begin);
  }

  values reduced_rows(const step& s) const {
    const pool::problem pooling = pooling_of(p_, n_, s);
    const auto c = static_cast<std::size_t>(s.channels);
    const values& x = of_[place(s.in)];
    values y(static_cast<std::size_t>(n_.level_at(s.level + 1).rows) * c);
    for (std::size_t channel = 0; channel < c; ++channel) {
      const pool::exact_norm norm(pooling.norm, s.channels, static_cast<int>(channel));
      for (std::int64_t j = 0; j < pooling.rows; ++j) {
        y[static_cast<std::size_t>(j) * c + channel] =
            rounded_(norm.finished(rounded_(pooled(pooling, j, x.data() + channel))));
      }
    }
    return y;
  }

  values unpooled(const step& s) const {
    const pool::problem pooling = pooling_of(p_, n_, s);
    const auto c = static_cast<std::size_t>(s.channels);
    const values &down = of_[place(s.in)], &skip = of_[place(s.skip)];
    values y(skip.size());
    for (std::size_t row = 0; row < static_cast<std::size_t>(pooling.points); ++row)
      for (std::size_t i = 0; i < c; ++i)
        y[row * c + i] = rounded_(skip[row * c + i] + down[pooling.cluster[row] * c + i]);
    return y;
  }

  values taken(const step& s) const {
    const std::uint32_t* const source = source_of(p_, n_);
    const values& x = of_[place(s.in)];
    values y;
    for (std::int64_t row = 0; row < n_.points(); ++row)
      y.insert(y.end(), x.begin() + std::int64_t{source[row]} * s.channels,
               x.begin() + (std::int64_t{source[row]} + 1) * s.channels);
    return y;
  }

  values restored(const step& s) const {
    const auto c = static_cast<std::size_t>(s.channels), points = static_cast<std::size_t>(n_.points());
    const std::uint32_t* const source = source_of(p_, n_);
    const values& x = of_[place(s.in)];
    values y(points * c);
    for (std::size_t row = 0; row < points; ++row)
      for (std::size_t i = 0; i < c; ++i) y[source[row] * c + i] = x[row * c + i];
    return y;
  }

  const problem& p_;
  const network& n_;
  rounder rounded_;
  std::vector<values> of_;
  gradient_evaluator gradients_;
};

}  // namespace

pass_values reference_pass(const problem& p, const network& n, rounding how, const step_watcher& watcher) {
  return evaluator(p, n, rounder(how, 0)).run(watcher, true);
}

pass_values reference_pass(const problem& p, const network& n, rounding how, std::uint64_t draw) {
  return evaluator(p, n, rounder(how, draw)).run({}, true);
}

std::vector<double> reference_output(const problem& p, const network& n, rounding how) {
  return evaluator(p, n, rounder(how, 0)).run({}, false).out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double apart = 0, norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    apart += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return norm == 0 ? std::sqrt(apart) : std::sqrt(apart / norm);
}

}  // namespace ablate::backbone
