#pragma once

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/hopper/wgmma.cuh"

namespace ablate::hopper {

/// 64 rows of bf16 in shared memory on their way between device memory and a warpgroup's accumulators: panels
/// of 64 columns, as TMA swizzles them. A warp reads and writes its own 16 rows only, so a number may be
/// replaced in place.

inline constexpr int staged_rows = 64, staged_columns = 64;
inline constexpr unsigned staged_panel_bytes = staged_rows * 128;

/// Where this thread's address for 16 columns points, `pair` times 16 columns in: of load_staged and
/// store_staged alike.
__host__ __device__ inline constexpr unsigned staged_place(unsigned thread, unsigned pair) {
  const unsigned lane = thread % 32, row = thread / 32 % 4 * 16 + lane % 16;
  return pair / 4 * staged_panel_bytes + swizzle<128>::place(row * 128 + pair % 4 * 32 + lane / 16 * 16);
}
/// Where 8 columns of a row are.
__host__ __device__ inline constexpr unsigned staged_chunk(unsigned row, unsigned chunk) {
  return chunk / 8 * staged_panel_bytes + swizzle<128>::place(row * 128 + chunk % 8 * 16);
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The pairs of 16 columns that are where accumulators 8 · pair … + 7 are: r[0] under the first two, r[1]
/// under the next two, and so on. `address`: of the panels.
__device__ inline void load_staged(unsigned (&r)[4], unsigned address, unsigned pair) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address + staged_place(threadIdx.x, pair))
               : "memory");
}
__device__ inline void store_staged(const unsigned (&r)[4], unsigned address, unsigned pair) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   address + staged_place(threadIdx.x, pair)),
               "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

#endif

}  // namespace ablate::hopper
