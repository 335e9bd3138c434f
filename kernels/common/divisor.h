#pragma once

#include <cmath>

#include "kernels/common/on_both.h"

namespace ablate {

/// A divisor known in advance. With its reciprocal, rounded to nearest, a product and two multiply-adds give
/// the correctly rounded quotient (N. Brisebarre, J.-M. Muller, S. Raina, "Accelerating correctly rounded
/// floating-point division when the divisor is known in advance", IEEE Trans. Comput. 53, 2004, section 1);
/// tests/kernels/common/divisor_gpu_test.cu tests all significands. A division by an unknown divisor takes
/// three times the instructions and a branch.
///
/// Holds for a divisor between 2⁻⁶⁰ and 2⁶⁰ and a dividend of 2⁻¹⁰⁰ or more in magnitude. For a smaller
/// dividend the quotient is near 0, but may have the wrong sign; for an infinite one, or one whose quotient
/// overflows, it is NaN.
struct divisor {
  float value, reciprocal;

  ABLATE_ON_BOTH explicit divisor(float value) : value(value), reciprocal(1.0f / value) {}

  ABLATE_ON_BOTH float divide(float dividend) const {
    using std::fmaf;
    const float quotient = dividend * reciprocal;
    return fmaf(fmaf(-value, quotient, dividend), reciprocal, quotient);
  }

  /// The negative dividend nearest to 0 whose quotient is not rounded to −0.
  float nearest_below_zero() const { return -std::ldexp(std::floor(value / 2) + 1, -149); }
};

}  // namespace ablate
