#pragma once

#include <cstdint>

#include "kernels/common/bf16.h"
#include "kernels/common/mixed.h"
#include "kernels/common/on_both.h"

namespace ablate::window_attention {

using ablate::bf16_of;
using ablate::float_of_bf16;

/// Inputs are generated where they are needed, element by element and identically on host and device: all
/// arithmetic is on integers, except one multiplication and the rounding to bf16.

enum class tensor { q, k, v, out_gradient };

/// Element `index` of a tensor: near-Gaussian (the sum of four uniform numbers of 16 bits), mean 0, standard
/// deviation `spread`.
ABLATE_ON_BOTH inline std::uint16_t generated_element(std::uint64_t seed, tensor of, std::uint64_t index,
                                                      float spread) {
  const std::uint64_t x = mixed((seed << 2 | static_cast<std::uint64_t>(of)) * 0x9e3779b97f4a7c15ull + index);
  const auto part = [&](int shift) { return static_cast<std::int32_t>(x >> shift & 0xffff); };
  const std::int32_t sum = part(0) + part(16) + part(32) + part(48) - 2 * 0xffff;
  constexpr float deviation_of_sum = 37837.2f;  // 65536 · √(4 / 12)
  return bf16_of(static_cast<float>(sum) * (spread / deviation_of_sum));
}

}  // namespace ablate::window_attention
