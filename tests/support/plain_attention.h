#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace ablate::test_support {

/// One head of one window: [tokens][width] each.
struct attention_head {
  std::size_t tokens = 0, width = 0;
  std::vector<float> q, k, v;

  float scale() const { return 1 / std::sqrt(static_cast<float>(width)); }
};

/// The textbook's attention in fp32: S = Q·Kᵀ / √width, p = exp(s − m) with m the row's maximum, O = p·V / Σ
/// p, log-sum-exp m + ln Σ p. What is not finite spreads as arithmetic says.
struct plain_attention {
  std::vector<float> out;        ///< [tokens][width]
  std::vector<float> magnitude;  ///< as above: the same mean of |v|, which rounding errors of `out` go by
  std::vector<float> lse;        ///< [tokens]
};

/// [columns][rows] of [rows][columns].
inline std::vector<float> transposed(const std::vector<float>& matrix, std::size_t columns) {
  std::vector<float> result(matrix.size());
  const std::size_t rows = matrix.size() / columns;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  return result;
}

/// The products of a row [width] with all columns of a matrix [width][count].
inline std::vector<float> row_times(const float* row, const std::vector<float>& matrix, std::size_t width) {
  const std::size_t count = matrix.size() / width;
  std::vector<float> result(count);
  for (std::size_t d = 0; d < width; ++d)
    for (std::size_t i = 0; i < count; ++i) result[i] += row[d] * matrix[d * count + i];
  return result;
}

inline plain_attention plainly(const attention_head& h) {
  plain_attention result;
  const std::vector<float> keys = transposed(h.k, h.width);
  std::vector<float> magnitudes = h.v;
  for (float& v : magnitudes) v = std::fabs(v);
  for (std::size_t i = 0; i < h.tokens; ++i) {
    std::vector<float> p = row_times(h.q.data() + i * h.width, keys, h.width);
    float most = -std::numeric_limits<float>::infinity(), sum = 0;
    for (float& s : p) {
      s *= h.scale();
      most = std::fmax(most, s);  // a number where one of the two is NaN
    }
    for (float& s : p) {
      s = std::exp(s - most);
      sum += s;
    }
    for (float o : row_times(p.data(), h.v, h.tokens)) result.out.push_back(o / sum);
    for (float o : row_times(p.data(), magnitudes, h.tokens)) result.magnitude.push_back(o / sum);
    result.lse.push_back(most + std::log(sum));
  }
  return result;
}

/// The same NaN, the same infinity, or numbers no further apart than that.
inline bool agree(float seen, float expected, float max_apart) {
  if (std::isnan(expected)) return std::isnan(seen);
  if (std::isinf(expected)) return seen == expected;
  return std::fabs(seen - expected) <= max_apart;
}

}  // namespace ablate::test_support
