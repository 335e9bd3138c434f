#pragma once

namespace ablate {

/// Adds to four neighboring sums in device memory, aligned to 16 bytes: in one reduction on sm_90 and later,
/// in four before.
__device__ inline void reduce_four(float* to, float a, float b, float c, float d) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "f"(a),
               "f"(b), "f"(c), "f"(d)
               : "memory");
#else
  atomicAdd(to, a);
  atomicAdd(to + 1, b);
  atomicAdd(to + 2, c);
  atomicAdd(to + 3, d);
#endif
}

}  // namespace ablate
