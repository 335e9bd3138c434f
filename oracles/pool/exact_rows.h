#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "kernels/common/bf16.h"
#include "kernels/pool/pool.h"
#include "oracles/common/rounding.h"

// A cluster's channel in fp64: what oracle and check compute alike.

namespace ablate::pool {

/// A reduction's result, and what fp32 inside may be off by beyond the rounding of the result.
struct exact_channel {
  double value = 0, slack = 0;
  std::uint32_t winner = 0;
};

inline double element_of(const std::uint16_t* rows, std::int64_t row, int channels, int c) {
  return static_cast<double>(float_of_bf16(rows[row * channels + c]));
}

/// Of channel c of `members`, in their order: of equal ones the first wins.
inline exact_channel reduced(reduction op, const std::uint16_t* rows, int channels, int c,
                             std::span<const std::uint32_t> members) {
  exact_channel result;
  double squares = 0;
  for (std::uint32_t slot = 0; slot < members.size(); ++slot) {
    const double x = element_of(rows, members[slot], channels, c);
    squares += x * x;
    if (op == reduction::mean || op == reduction::sum)
      result.value += x;
    else if (slot == 0 || (op == reduction::minimum ? x < result.value : x > result.value)) {
      result.value = x;
      result.winner = slot;
    }
  }
  const auto count = static_cast<double>(members.size());
  if (op == reduction::mean || op == reduction::sum)
    result.slack = accepted_rounding(static_cast<std::int64_t>(members.size())) * std::sqrt(squares * count);
  if (op == reduction::mean) {
    result.value /= count;
    result.slack /= count;
  }
  return result;
}

/// Batch norm by running statistics, then GELU, of channel c; what it makes of an error of x.
struct exact_norm {
  double scale, shift;

  exact_norm(const float* norm, int channels, int c)
      : scale(norm[2 * channels + c] / std::sqrt(norm[channels + c] + static_cast<double>(norm_epsilon))),
        shift(norm[3 * channels + c] - norm[c] * scale) {}

  double before(double x) const { return x * scale + shift; }
  double finished(double x) const {
    const double z = before(x);
    return 0.5 * z * std::erfc(-z / std::sqrt(2.0));
  }
  /// x rounded to bf16 or not, norm and GELU in fp32, the result rounded: GELU's slope is at most 1.13, and
  /// 1 + erf loses what the two have in common.
  double accepted(const exact_channel& x) const {
    const double of_x = std::abs(scale) * (bf16_ulp(x.value) + x.slack);
    const double z = std::abs(x.value * scale) + std::abs(shift);
    return 1.13 * of_x + bf16_ulp(finished(x.value)) + 0x1p-21 * (1 + z);
  }
};

}  // namespace ablate::pool
