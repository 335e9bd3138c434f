#pragma once

namespace ablate {

/// What attention does with scores between two tensor-core products, on mma.sync and wgmma fragments alike: a
/// row is spread over the four lanes of a quad.

constexpr float log2_of_e = 1.44269504088896f;

/// Two numbers as a pair of bf16, rounded to nearest, `low` in the lower half.
__device__ inline unsigned packed(float low, float high) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

/// 2^x by the special function unit: relative error about 2^-22; 0 for −∞.
__device__ inline float exp2_of(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 2^x for x in [0, 1): a polynomial of degree 3 (relative error 8.6e-5, below what bf16 shows).
__device__ inline float exp2_of_fraction(float x) {
  return fmaf(fmaf(fmaf(0.077067042f, x, 0.227644991f), x, 0.695116786f), x, 1.0f);
}

/// 2^x for −127 ≤ x < 128 without the exponential unit: the integer part goes into the exponent. x = s · c; 0
/// at −127, and a number below 2^−126 between −127 and −126. NaN turns into a finite number.
__device__ inline float exp2_by_polynomial(float s, float c) {
  constexpr float shift = 12582912;  // 1.5 · 2^23: adding it leaves the integer part in the low bits
  const float shifted = __fmaf_rd(s, c, shift);
  const float power = exp2_of_fraction(fmaf(s, c, shift - shifted));
  return __int_as_float(__float_as_int(power) + (__float_as_int(shifted) << 23));
}

/// A row's maximum or sum over the four lanes that share it.
__device__ inline float max_of_quad(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ inline float sum_of_quad(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

}  // namespace ablate
