// What a warpgroup of the forward core stores for a query tile: outputs, through shared memory, and
// log-sum-exps.
#pragma once

#include <cuda_bf16.h>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/window_attention/hopper_core/shape.cuh"
#include "kernels/window_attention/hopper_core/tile_scheduler.cuh"

namespace ablate::window_attention {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Writes a group's outputs to its 64 rows of shared memory, swizzled as the copy to device memory expects.
template <class Shape, int Count>
__device__ inline void stage_outputs(unsigned char* to, const float (&o)[Count], const float (&inverse)[2]) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const unsigned row = 16 * warp + (lane & 15);
#pragma unroll
  for (int j = 0; j < Shape::width / 16; ++j) {
    const unsigned chunk = 2 * j + (lane >> 4), panel = chunk / 8;
    const unsigned offset = Shape::swizzle::place(row * Shape::span_bytes + chunk % 8 * 16);
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

/// Stores a group's staged outputs to rows looked up in the index, 16 bytes per thread and step.
template <class Shape>
__device__ inline void store_by_index(const view& v, const query_tile& t, int block,
                                      const unsigned char* from, const float (&lse)[2]) {
  constexpr int chunks = Shape::width / 8;
  const std::int32_t* const rows = v.index + t.window * v.window + block * rows_per_group;
  // Read only here: chunk addresses computed ahead of the MMAs would take registers from them.
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  thread %= 128;
  for (int i = thread; i < rows_per_group * chunks; i += 128) {
    const int row = i / chunks, chunk = i % chunks;
    const unsigned offset = Shape::swizzle::place(row * Shape::span_bytes + chunk % 8 * 16);
    *reinterpret_cast<uint4*>(v.out + ((t.batch * v.tokens + rows[row]) * v.heads + t.head) * Shape::width +
                              chunk * 8) =
        *reinterpret_cast<const uint4*>(from + chunk / 8 * rows_per_group * 128 + offset);
  }
  if (thread % 4 != 0) return;
  float* const to = v.lse + (static_cast<long long>(t.batch) * v.heads + t.head) * v.tokens;
  for (int r = 0; r < 2; ++r) to[rows[thread / 32 * 16 + thread % 32 / 4 + 8 * r]] = lse[r];
}

#endif

}  // namespace ablate::window_attention
