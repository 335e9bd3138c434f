#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/common/on_both.h"

namespace ablate::dense_layers {

/// Inputs of dense layers are generated where they are needed, element by element and identically on host and
/// device: all arithmetic is on integers, except one multiplication, one addition and a rounding to bf16.

enum class tensor : unsigned {
  input,
  branch,
  gradient,
  sum_gradient,
  weight,
  second_weight,
  bias,
  second_bias,
  gamma,
  beta,
  mean,
  variance
};

/// Rounds to the nearest bf16, ties to even; finite numbers only.
ABLATE_ON_BOTH inline std::uint16_t bf16_of(float value) {
  std::uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

ABLATE_ON_BOTH inline float float_of_bf16(std::uint16_t value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16;
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/// 64 bits without a pattern (SplitMix64's finalizer).
ABLATE_ON_BOTH inline std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

/// Element `index` of a tensor: near-Gaussian (the sum of four uniform numbers of 16 bits) about `center`,
/// standard deviation `spread`.
ABLATE_ON_BOTH inline float made_number(std::uint64_t seed, tensor of, std::int64_t index, float spread,
                                        float center = 0) {
  const std::uint64_t x = mixed((seed << 4 | static_cast<std::uint64_t>(of)) * 0x9e3779b97f4a7c15ull +
                                static_cast<std::uint64_t>(index));
  std::int32_t sum = -2 * 0xffff;
  for (int shift = 0; shift < 64; shift += 16) sum += static_cast<std::int32_t>(x >> shift & 0xffff);
  constexpr float deviation_of_sum = 37837.2f;  // 65536 · √(4 / 12)
  const float scaled = static_cast<float>(sum) * (spread / deviation_of_sum);
  return center == 0 ? scaled : center + float_of_bf16(bf16_of(scaled));
}

/// The same, rounded to bf16.
ABLATE_ON_BOTH inline std::uint16_t made_bf16(std::uint64_t seed, tensor of, std::int64_t index,
                                              float spread) {
  return bf16_of(made_number(seed, of, index, spread));
}

}  // namespace ablate::dense_layers
