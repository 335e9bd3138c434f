#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/block_pooling/block_pooling.h"
#include "kernels/common/mixed.h"
#include "oracles/common/generated_element.h"
#include "oracles/window_attention/deviation.h"

// Pooling with what its comparison needs besides, its generated inputs, and what is accepted.

namespace ablate::block_pooling {

using window_attention::deviation;
using window_attention::tensor;

/// The numbers in the inputs, beside unit normal ones.
enum class content {
  unit,
  large,       ///< times 2^40
  offset,      ///< plus 64: the variance is far below the square of the mean
  nan,         ///< one element of one token of each head is NaN, in q, k and v
  minus_zero,  ///< each third patch block is −0
};

/// A row that the check reads directly.
struct sampled_row {
  std::int32_t of;  ///< tensor; 3 and more: of all tokens, where they are written
  std::int32_t head, row;
};

struct checked_problem : problem {
  // What the inputs are made of.
  std::uint64_t seed = 1;
  content what = content::unit;

  const sampled_row* samples = nullptr;  ///< [sample_count]
  std::int64_t sample_count = 0;
  deviation* found = nullptr;  ///< [2 · tensors], by the comparison: pooled q, k, v, then those of all tokens
  float* sampled_out = nullptr;  ///< [sample_count][64], by the comparison
};

/// The token of a head with the NaN.
ABLATE_ON_BOTH inline std::int64_t nan_token(const checked_problem& p, tensor of, std::int64_t head) {
  const auto index = static_cast<std::uint64_t>(head * tensors + static_cast<int>(of));
  return static_cast<std::int64_t>(mixed(p.seed * 9 + index) % static_cast<std::uint64_t>(p.tokens));
}

/// An element as it is in memory. Layouts hold the same elements.
ABLATE_ON_BOTH inline std::uint16_t generated_bits(const checked_problem& p, tensor of, std::int64_t head,
                                                   std::int64_t token, int element) {
  const auto index = static_cast<std::uint64_t>((head * p.tokens + token) * width + element);
  const std::uint16_t made =
      window_attention::generated_element(p.seed, of, index, p.what == content::large ? 0x1p40f : 1);
  if (p.what == content::offset) return window_attention::bf16_of(window_attention::float_of_bf16(made) + 64);
  if (p.what == content::minus_zero) return token / patch_block % 3 == 1 ? 0x8000 : made;
  if (p.what != content::nan) return made;
  return token == nan_token(p, of, head) && element == static_cast<int>(head * 7 % width) ? 0x7fc0 : made;
}

/// Weight (`part` 0) or bias (1) of the norm of q (`which` 0) or k (1).
inline float generated_norm(const checked_problem& p, int which, int part, int element) {
  const auto index = static_cast<std::uint64_t>((which * 2 + part) * width + element);
  const float made = window_attention::float_of_bf16(
      window_attention::generated_element(p.seed, tensor::out_gradient, index, 0.25f));
  return part == 0 ? 1 + made : made;
}

/// What the check accepts. An output is rounded once, so that it is within half an ulp of bf16 of the exact
/// value; accepted is one ulp or, where it is greater, the floor of the row:
/// - For means, what fp32 sums can be off by, in units of 1/b · √Σx² (oracles/common/rounding.h: 16 · 2^-24).
/// - For normalized rows and their means, √2 · 2^-7 of the row's greatest element before rotation: what the
///   norm leaves may wait in bf16 for the rotation, and is rounded again after it. Each rounding is off by
///   up to 2^-8 of what it rounds, and a rotation adds up to √2 of the greatest element and of its error.
/// Rows of v are copied: they must be equal.
constexpr float accepted_of_mean = 0x1p-20f, accepted_of_normalized = 0x1.6a0ap-7f;

/// By how much an element may be off.
ABLATE_ON_BOTH inline float tolerance_of(float expected, float floor) {
  std::uint32_t bits;
  memcpy(&bits, &expected, sizeof bits);
  bits &= 0x7f800000u;  // the power of two below it
  float power;
  memcpy(&power, &bits, sizeof power);
  const float ulp = power * 0x1p-7f;
  return ulp > floor ? ulp : floor;
}

}  // namespace ablate::block_pooling
