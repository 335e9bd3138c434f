// What a warpgroup of the forward core stores for a query tile: outputs, through shared memory, and
// log-sum-exps.
#pragma once

#include "kernels/attention_core/staged_outputs.cuh"
#include "kernels/window_attention/hopper_core/memory.cuh"
#include "kernels/window_attention/hopper_core/tile_scheduler.cuh"

namespace ablate::window_attention {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Stores a group's staged outputs to rows looked up in the index, 16 bytes per thread and step.
template <block_shape Block>
__device__ inline void store_by_index(const view& v, const query_tile& t, int block,
                                      const unsigned char* from, const float (&lse)[2]) {
  constexpr int chunks = Block.width / 8;
  const std::int32_t* const rows = v.index + t.window * v.window + block * rows_per_group;
  // Read only here: chunk addresses computed ahead of the MMAs would take registers from them.
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  thread %= 128;
  for (int i = thread; i < rows_per_group * chunks; i += 128) {
    const int row = i / chunks, chunk = i % chunks;
    const unsigned offset = row_swizzle<Block.width>::place(row * Block.span_bytes() + chunk % 8 * 16);
    *reinterpret_cast<uint4*>(v.out + ((t.batch * v.tokens + rows[row]) * v.heads + t.head) * Block.width +
                              chunk * 8) =
        *reinterpret_cast<const uint4*>(from + chunk / 8 * rows_per_group * 128 + offset);
  }
  if (thread % 4 != 0) return;
  float* const to = v.lse + (static_cast<long long>(t.batch) * v.heads + t.head) * v.tokens;
  for (int r = 0; r < 2; ++r) to[rows[thread / 32 * 16 + thread % 32 / 4 + 8 * r]] = lse[r];
}

#endif

}  // namespace ablate::window_attention
