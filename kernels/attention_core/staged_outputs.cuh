// Outputs on their way from a warpgroup's accumulators to device memory.
#pragma once

#include "kernels/attention_core/products.cuh"
#include "kernels/common/hopper/pipeline.cuh"

namespace ablate::attention_core {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Writes a group's outputs to its 64 rows of shared memory, swizzled as the copy to device memory expects.
template <int Width, int Count>
__device__ inline void stage_outputs(unsigned char* to, const float (&o)[Count], const float (&inverse)[2]) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const unsigned row = 16 * warp + (lane & 15);
#pragma unroll
  for (int j = 0; j < Width / 16; ++j) {
    const unsigned chunk = 2 * j + (lane >> 4), panel = chunk / 8;
    const unsigned offset = row_swizzle<Width>::place(row * row_swizzle<Width>::span_bytes + chunk % 8 * 16);
    const unsigned a = packed(o[8 * j] * inverse[0], o[8 * j + 1] * inverse[0]),
                   b = packed(o[8 * j + 2] * inverse[1], o[8 * j + 3] * inverse[1]),
                   c = packed(o[8 * j + 4] * inverse[0], o[8 * j + 5] * inverse[0]),
                   d = packed(o[8 * j + 6] * inverse[1], o[8 * j + 7] * inverse[1]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     hopper::shared_address(to + panel * rows_per_group * 128 + offset)),
                 "r"(a), "r"(b), "r"(c), "r"(d)
                 : "memory");
  }
}

#endif

}  // namespace ablate::attention_core
