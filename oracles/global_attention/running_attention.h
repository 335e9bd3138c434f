#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "oracles/global_attention/reference.h"

// Softmax attention of a query in fp64, key by key.

namespace ablate::global_attention {

inline double squared_norm(const row_values& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// Softmax attention of one query, key by key.
class running_attention {
 public:
  explicit running_attention(const row_values& query) : query_(query) {}

  void add(const row_values& key, const row_values& value, double squared_value) {
    const double score = std::inner_product(key.begin(), key.end(), query_.begin(), 0.0) / std::sqrt(width);
    if (score > most_) raise(score);
    const double weight = std::exp(score - most_);
    sum_ += weight;
    noise_ += weight * weight * squared_value;
    for (std::size_t d = 0; d < width; ++d) out_[d] += weight * value[d];
  }

  exact_token result() const {
    exact_token result;
    result.lse = -std::numeric_limits<double>::infinity();
    if (sum_ == 0) return result;
    for (std::size_t d = 0; d < width; ++d) result.out[d] = out_[d] / sum_;
    result.lse = most_ + std::log(sum_);
    result.scale = std::sqrt(std::max(squared_norm(result.out), noise_ / (sum_ * sum_)));
    return result;
  }

 private:
  void raise(double to) {
    const double rescale = std::exp(most_ - to);
    most_ = to;
    sum_ *= rescale;
    noise_ *= rescale * rescale;
    for (double& x : out_) x *= rescale;
  }

  row_values query_, out_{};
  double most_ = -std::numeric_limits<double>::infinity(), sum_ = 0, noise_ = 0;
};

}  // namespace ablate::global_attention
