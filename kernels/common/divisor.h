#pragma once

#include <cmath>

#include "kernels/common/on_both.h"

namespace ablate {

/// A number to divide by that is known beforehand. With its reciprocal, rounded to nearest, a product and two
/// multiply-adds give the quotient as a division does (N. Brisebarre, J.-M. Muller, S. Raina, "Accelerating
/// correctly rounded floating-point division when the divisor is known in advance", IEEE Trans. Comput. 53,
/// 2004, section 1); tests/kernels/common/divisor_gpu_test.cu holds a test of all significands. A division
/// that knows nothing beforehand takes three times the instructions and a branch.
///
/// Holds for a divisor between 2⁻⁶⁰ and 2⁶⁰ and a dividend of 2⁻¹⁰⁰ or more in magnitude. Of a smaller one
/// the quotient is near 0, but may have the wrong sign; of one whose quotient overflows, and of an infinite
/// one, it is NaN.
struct divisor {
  float value, reciprocal;

  ABLATE_ON_BOTH explicit divisor(float value) : value(value), reciprocal(1.0f / value) {}

  ABLATE_ON_BOTH float divide(float dividend) const {
    using std::fmaf;
    const float quotient = dividend * reciprocal;
    return fmaf(fmaf(-value, quotient, dividend), reciprocal, quotient);
  }

  /// The dividend below 0 nearest to it whose quotient is not rounded to −0.
  float nearest_below_zero() const { return -std::ldexp(std::floor(value / 2) + 1, -149); }
};

}  // namespace ablate
