#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/common/on_both.h"

namespace ablate::window_attention {

/// The inputs are made where they are needed, element by element and the same on host and device: all
/// arithmetic is on integers, but for one multiplication and the rounding to bf16.

enum class tensor { q, k, v, out_gradient };

/// bf16 nearest to a finite number, the even one of two as near.
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

/// Element `index` of a tensor: near-Gaussian (the sum of four uniform numbers of 16 bits), mean 0, standard
/// deviation `spread`.
ABLATE_ON_BOTH inline std::uint16_t made_element(std::uint64_t seed, tensor of, std::uint64_t index,
                                                 float spread) {
  std::uint64_t x = (seed << 2 | static_cast<std::uint64_t>(of)) * 0x9e3779b97f4a7c15ull + index;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  x ^= x >> 31;
  const auto part = [&](int shift) { return static_cast<std::int32_t>(x >> shift & 0xffff); };
  const std::int32_t sum = part(0) + part(16) + part(32) + part(48) - 2 * 0xffff;
  constexpr float deviation_of_sum = 37837.2f;  // 65536 · √(4 / 12)
  return bf16_of(static_cast<float>(sum) * (spread / deviation_of_sum));
}

#undef ABLATE_ON_BOTH

}  // namespace ablate::window_attention
