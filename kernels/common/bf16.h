#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ablate {

/// The number that 16 bits of bfloat16 stand for.
constexpr float float_of_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// The bfloat16 number nearest to `value`, the even one of two as near; a NaN stays one.
constexpr std::uint16_t bf16_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/// The distance of neighboring numbers of so many bits behind the leading one, whose least normal exponent is
/// given, about a number: from the power of two at or below its magnitude on.
inline double ulp_of(double number, int bits, int least_exponent) {
  const int exponent = number == 0 ? least_exponent : std::max(std::ilogb(number), least_exponent);
  return std::ldexp(1.0, exponent - bits);
}
inline double bf16_ulp(double number) { return ulp_of(number, 7, -126); }
inline double half_ulp(double number) { return ulp_of(number, 10, -14); }

}  // namespace ablate
