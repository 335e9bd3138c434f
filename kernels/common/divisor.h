#pragma once

#include <cmath>

#include "kernels/common/on_both.h"

namespace ablate {

/// A number to divide by that is known beforehand. Five multiply-adds on its reciprocal give the quotient as
/// a division does, rounded to nearest: the first correction leaves it within one unit in the last place, and
/// the second, whose residual is exact, rounds correctly (P. Markstein, "Computation of elementary functions
/// on the IBM RISC System/6000 processor", IBM J. Res. Dev. 34, 1990, theorem 8.1). A division that knows
/// nothing beforehand takes twice the instructions and a branch.
///
/// Holds for a divisor between 2⁻⁶⁰ and 2⁶⁰ and a dividend of 2⁻¹⁰⁰ or more in magnitude. Of a smaller one
/// the quotient is near 0, but may have the wrong sign; of one whose quotient overflows, and of an infinite
/// one, it is NaN.
struct divisor {
  float value, reciprocal;

  explicit divisor(float value) : value(value), reciprocal(1.0f / value) {}

  ABLATE_ON_BOTH float divide(float dividend) const {
    using std::fmaf;
    float quotient = dividend * reciprocal;
    quotient = fmaf(fmaf(-value, quotient, dividend), reciprocal, quotient);
    return fmaf(fmaf(-value, quotient, dividend), reciprocal, quotient);
  }

  /// The dividend below 0 nearest to it whose quotient is not rounded to −0.
  float nearest_below_zero() const { return -std::ldexp(std::floor(value / 2) + 1, -149); }
};

}  // namespace ablate
