#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/common/on_both.h"

namespace ablate {

/// The value of 16 bits of bfloat16.
ABLATE_ON_BOTH inline float float_of_bf16(std::uint16_t value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/// Rounds a finite number to the nearest bfloat16, ties to even.
ABLATE_ON_BOTH inline std::uint16_t bf16_of(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

/// The same of any number; a NaN stays one.
inline std::uint16_t bf16_of_float(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
  return bf16_of(value);
}

}  // namespace ablate
