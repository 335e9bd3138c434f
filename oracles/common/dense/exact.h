#pragma once

#include "kernels/common/dense/activation.h"
#include "oracles/common/dense/comparison.h"

namespace ablate::dense_layers {

/// By how much what is computed in bf16 products may be off, in fp64 arithmetic that host and device share.

/// An fp32 sum of products on tensor cores, which truncate addends: in units of √Σ product²; a
/// partial sum is a few of these at most. Over many rows it is longer.
constexpr double accepted_of_products = 0x1p-14, accepted_of_row_products = 0x1p-9;
/// Where one factor was rounded to bf16: each rounding is up to 2^-8 of its product. They are uniform and
/// independent, so a sum of them is beyond 4 · 2^-8 of √Σ product² with a probability below 2 e^−24, of any
/// number of terms.
constexpr double accepted_of_rounded_factor = 0x1p-6;
/// The root mean square of a rounding to bf16, in units of the number.
constexpr double typical_rounding = 1.66e-3;
/// GELU's tanh by the special function unit, in units of its argument: 2^-11 of 1.
constexpr double accepted_of_tanh = 0x1p-11;

/// A sum whose terms have factors that were rounded, and the root mean square of what these roundings take
/// from it. That is a share of the terms, not of the sum: where they cancel it may be any part of it, as
/// after the gradient of a batch norm, whose sum over the rows is 0. In a tensor's norm such a sum counts
/// for at least its `size`: twice that, over what is accepted of the tensor.
struct judged_sum : judged {
  double lost;

  ABLATE_ON_BOTH double size() const {
    const double least = 2 / accepted_of_gradients * lost, own = fabs(expected);
    return own > least ? own : least;
  }
};

/// A sum of products and that of their squares.
struct product_sum {
  double sum = 0, squares = 0;

  ABLATE_ON_BOTH void add(double left, double right) {
    sum += left * right;
    squares += left * right * left * right;
  }
  /// Before anything is added to it, and rounded to bf16 there or after the bias: by a library without
  /// epilogues.
  ABLATE_ON_BOTH double tolerance(double bias, bool has_rounded_factor) const {
    const double unrounded =
        (accepted_of_products + (has_rounded_factor ? accepted_of_rounded_factor : 0)) * sqrt(squares);
    return unrounded + bf16_rounding(fabs(sum) + fabs(bias) + unrounded);
  }
  /// What so many roundings of its factors take from it.
  ABLATE_ON_BOTH double lost(int rounded_factors) const {
    return typical_rounding * sqrt(rounded_factors * squares);
  }
};

/// A factor that is alike in all rows rounds alike in all rows, and what that makes of a sum over them does
/// not average out: each rounding moves the factor c by at most 2^-8 |c|, so Σ c · r by at most 2^-8 |Σ c ·
/// r|, whatever the r are. Rows that are alike in both factors, as padding of a window is, round alike window
/// by window: their part may be off by 2^-8 Σ |l · r|.
constexpr double accepted_of_alike_rounding = 0x1p-8;
/// Tensor cores truncate an fp32 sum by up to 2^-23 of it at every 16th row, 2^-24 on average: where products
/// have one sign; the partial sums are half, 2^-12.4 of the whole after 98304 rows.
constexpr double accepted_of_alike_products = 0x1p-11;

/// A sum over rows; some may be alike in both factors.
struct row_product_sum : product_sum {
  double distinct = 0;  ///< Σ of the rows that are not
  double alike = 0;     ///< Σ |product| of those that are

  ABLATE_ON_BOTH void add(double left, double right, bool is_alike) {
    product_sum::add(left, right);
    distinct += is_alike ? 0 : left * right;
    alike += is_alike ? fabs(left * right) : 0;
  }
  /// By how much it may be off where so many factors are rounded to bf16, one after another or both: as
  /// roundings that are independent are, and those that are alike.
  ABLATE_ON_BOTH double tolerance(double independent, int rounded_factors) const {
    return independent * sqrt(squares) +
           (accepted_of_alike_products + rounded_factors * accepted_of_alike_rounding) *
               (fabs(distinct) + alike) +
           1e-30;
  }
  ABLATE_ON_BOTH double lost(int rounded_factors) const {
    return product_sum::lost(rounded_factors) +
           typical_rounding * sqrt(static_cast<double>(rounded_factors)) * alike;
  }
};

/// act(z) of a z that may be off, not yet rounded.
ABLATE_ON_BOTH inline judged exact_activated(activation how, double z, double tolerance) {
  const double slope = fabs(activation_slope(how, z)) + tolerance;
  return {activated(how, z),
          slope * tolerance + (how == activation::gelu_tanh ? accepted_of_tanh * fabs(z) : 0)};
}

/// silu(gate) · up.
ABLATE_ON_BOTH inline judged exact_gated(const judged& gate, const judged& up) {
  const double s = silu(gate.expected), slope = fabs(silu_slope(gate.expected)) + gate.tolerance;
  return {s * up.expected, fabs(up.expected) * slope * gate.tolerance + fabs(s) * up.tolerance +
                               slope * gate.tolerance * up.tolerance};
}

/// Rounded to bf16 again: as the number that is farthest from 0 rounds, which may be beyond the power of
/// two that the expected one is below.
ABLATE_ON_BOTH inline judged rounded(const judged& of) {
  return {of.expected, of.tolerance + bf16_rounding(fabs(of.expected) + of.tolerance)};
}

}  // namespace ablate::dense_layers
