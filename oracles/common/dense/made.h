#pragma once

#include <cstdint>

#include "kernels/common/bf16.h"
#include "kernels/common/mixed.h"
#include "kernels/common/on_both.h"

namespace ablate::dense_layers {

using ablate::bf16_of;
using ablate::float_of_bf16;

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

/// Element `index` of a tensor: near-Gaussian (the sum of four uniform numbers of 16 bits) about `center`,
/// standard deviation `spread`.
ABLATE_ON_BOTH inline float generated_number(std::uint64_t seed, tensor of, std::int64_t index, float spread,
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
ABLATE_ON_BOTH inline std::uint16_t generated_bf16(std::uint64_t seed, tensor of, std::int64_t index,
                                                   float spread) {
  return bf16_of(generated_number(seed, of, index, spread));
}

}  // namespace ablate::dense_layers
