#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ablate {

constexpr double fp32_rounding = 0x1p-24;  ///< of a number, relative, to the nearest

/// The accepted error of an fp32 sum of this many products, in units of |a|·|b|, the Euclidean norms of its
/// factors; with each b = 1, of a sum of numbers. A rounding is at most 2^-24 of a partial sum, which is
/// below |a|·|b|: in any order, fused or not, the error is at most all of them together. Where the terms have
/// random signs, partial sums are random walks and roundings cancel: they add up to 16 of the largest with a
/// probability of 10^-12 for even one of 2^24 sums.
inline double accepted_rounding(std::int64_t terms) {
  return fp32_rounding * static_cast<double>(std::min<std::int64_t>(terms + 1, 16));
}

/// The distance of neighboring numbers of so many bits after the leading one, whose least normal exponent is
/// given, about a number: from the power of two at or below its magnitude on.
inline double ulp_of(double number, int bits, int least_exponent) {
  const int exponent = number == 0 ? least_exponent : std::max(std::ilogb(number), least_exponent);
  return std::ldexp(1.0, exponent - bits);
}
inline double bf16_ulp(double number) { return ulp_of(number, 7, -126); }
inline double half_ulp(double number) { return ulp_of(number, 10, -14); }

}  // namespace ablate
