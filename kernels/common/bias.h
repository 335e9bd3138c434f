#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/common/on_both.h"

namespace ablate {

// How the checks find a bias: errors that each are below the tolerance but have one sign, such as those of
// numbers that are truncated where they should be rounded, or of a factor that is 0.2 % off.
//
// With x what is expected of an element, e = seen − x (seen − bf16(x), where a bf16 number was seen), and s
// its size (|x|, or more where x is what remains of terms that cancel), two figures of a tensor, both
// independent of the tolerance:
//   factor = Σ e·x / Σ s²    a relative error that all elements share: truncation toward zero, a wrong factor
//   offset = Σ e / Σ s       an absolute one, in parts of the mean size: rounding down, a term left out
//
// Rounding to nearest leaves both at 0 on average: an error is as often positive as negative. Sums are taken
// over units, rows or elements, whose errors are independent of each other. With u the sum of a unit, U = Σ u
// and V² = Σ u², fair signs give P(|U| > z·V) ≤ 2·exp(−z²/2), whatever the sizes of the u are (Hoeffding's
// inequality, given the sizes). V is taken from the errors that were seen, so no model of them enters. At z =
// 6 that is 3·10^-8 a figure. As |U| ≤ √units · V, up to 36 units are never found biased, a single row among
// them.
//
// Accepted is z·V, in the figure's unit, and a systematic part, which a correct kernel may have:
//   bf16: 2^-12. Roundings to nearest are off by 2^-18 in the mean, in second order. A polynomial in the
//   place
//         of an exponential is off by at most 8.6e-5 anywhere and by 7e-6 in the mean (softmax_math.cuh), the
//         packed one by 1.5e-5 in the mean (packed_exp2.cuh), fast GELU by at most 6e-5; tensor cores, which
//         truncate what they add, by half of 2^-24 of a sum for each 16 products, 2^-17 in 4096. Truncation
//         to bf16 is off by −2^-8.5 in the mean, eleven times what is accepted.
//   fp32: 2^-26. Truncation of one operation is off by −2^-24.5 in the mean.
//
// What is seen: of N elements in R units, whose errors scatter by ε of the elements, a bias b shows where
// |b| · (1 − 6/√R) exceeds the systematic part and 6·√3·ε/√N (of normal numbers). One rounding to bf16 has
// ε = 1.7e-3: truncation in its place shows from 512 elements on, a factor of 1.002 in 100 rows of 16, one of
// 0.999 in 300 rows of 32.

constexpr double bias_deviations = 6;
constexpr double accepted_bias_of_bf16 = 0x1p-12, accepted_bias_of_fp32 = 0x1p-26;

/// The root mean square of a rounding to bf16, in units of the number.
constexpr double typical_bf16_rounding = 1.66e-3;

/// What roundings to bf16 that many elements share may leave in the mean: where the rows of a window are
/// alike, so are their errors, and only `distinct` elements are independent.
inline double bias_of_alike(double distinct) {
  return distinct > 0 ? bias_deviations * typical_bf16_rounding / std::sqrt(distinct) : 0;
}

/// What is expected, rounded to bf16 where a bf16 number was seen. The last rounding, which no kernel can
/// avoid, is in both then and says nothing of a bias: where rows are alike, so are their roundings, which
/// would look like one.
ABLATE_ON_BOTH inline double rounded_like(double seen, double expected) {
  const auto seen_float = static_cast<float>(seen), float_expected = static_cast<float>(expected);
  std::uint32_t bits;
  memcpy(&bits, &seen_float, sizeof bits);
  if (static_cast<double>(seen_float) != seen || (bits & 0xffff) != 0) return expected;
  if (!(float_expected - float_expected == 0)) return expected;
  memcpy(&bits, &float_expected, sizeof bits);
  bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  float nearest;
  memcpy(&nearest, &bits, sizeof nearest);
  return nearest;
}

/// The signed errors of elements that are not independent of each other, as those of a row.
struct unit_errors {
  double products = 0, squares = 0;  ///< Σ e·x, Σ s²
  double errors = 0, sizes = 0;      ///< Σ e, Σ s

  /// Elements that are no numbers are left out. All are counted in so many `units`, the size too.
  ABLATE_ON_BOTH void add(double seen, double expected, double size, double units = 1) {
    const double error = (seen - rounded_like(seen, expected)) * units;
    if (!(error - error == 0) || !(size - size == 0)) return;
    products += error * (expected * units);
    squares += size * size;
    errors += error;
    sizes += size;
  }
  ABLATE_ON_BOTH void add(double seen, double expected) {
    add(seen, expected, expected < 0 ? -expected : expected);
  }
};

/// The units of a tensor.
struct signed_errors {
  double products, squared_products, squares;  ///< Σ Σ e·x, Σ (Σ e·x)², Σ s²
  double errors, squared_errors, sizes;        ///< Σ Σ e, Σ (Σ e)², Σ s

  ABLATE_ON_BOTH void add(const unit_errors& unit) {
    products += unit.products;
    squared_products += unit.products * unit.products;
    squares += unit.squares;
    errors += unit.errors;
    squared_errors += unit.errors * unit.errors;
    sizes += unit.sizes;
  }
};

/// A figure, and by how much it may differ from 0.
struct bias_figure {
  double value = 0, accepted = 0;

  /// In what is accepted; NaN is infinitely far.
  double share() const { return value == 0 ? 0 : std::isnan(value) ? INFINITY : std::abs(value) / accepted; }
};

struct tensor_bias {
  bias_figure factor, offset;

  tensor_bias(const signed_errors& found, double systematic)
      : factor(figure(found.products, found.squared_products, found.squares, systematic)),
        offset(figure(found.errors, found.squared_errors, found.sizes, systematic)) {}

  bool is_in_factor() const { return factor.share() >= offset.share(); }
  const bias_figure& worse() const { return is_in_factor() ? factor : offset; }
  bool is_accepted() const { return !(worse().share() > 1); }

 private:
  static bias_figure figure(double sum, double squares, double scale, double systematic) {
    if (scale == 0) return {0, systematic};
    return {sum / scale, bias_deviations * std::sqrt(squares) / scale + systematic};
  }
};

}  // namespace ablate
