// Activations after products, where their instructions count: as activation.h defines them, to well within a
// rounding to bf16, by the special function unit. Of finite numbers.
#pragma once

#include "kernels/common/dense/normal_tail.h"
#include "kernels/common/softmax_math.cuh"

namespace ablate {

/// Exact GELU: x · Φ(x) = max(x, 0) − |x| · Φ(−|x|). Relative error 6e-5 where |x| < 3, absolute 3e-6 beyond.
__device__ inline float fast_gelu_erf(float x) {
  const float size = fabsf(x);
  return fmaf(-size, exp2_of(log2_normal_tail(size)), fmaxf(x, 0.0f));
}

/// GELU's tanh form: tanh is off by 2^-11.
__device__ inline float fast_gelu_tanh(float x) {
  constexpr float factor = 0.79788456080286535588f;
  float tanh_of_inner;
  asm("tanh.approx.f32 %0, %1;" : "=f"(tanh_of_inner) : "f"(x * fmaf(factor * 0.044715f, x * x, factor)));
  const float half = 0.5f * x;
  return fmaf(half, tanh_of_inner, half);
}

/// SiLU; 0 where 2^… overflows.
__device__ inline float fast_silu(float x) {
  float sigmoid;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(sigmoid) : "f"(1.0f + exp2_of(-1.4426950408889634f * x)));
  return x * sigmoid;
}

}  // namespace ablate
