// The rate of fp32 multiply-adds: every thread adds a·b to each of `fma_chains` sums `fma_rounds` times, all
// in registers. A thread's sums are independent, and an SM has nine warps or more per scheduler, so no
// instruction waits for the one before it. FLOPs: 2 per sum and round. The values are small integers, so the
// sums are exact, and each round changes them. Should move: the FMA pipe, to its ceiling; one warp
// instruction per cycle on Hopper, one every other cycle on GA100.
#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

__global__ __launch_bounds__(fma_threads_per_block) void add_products(const float* in, float* out) {
  const unsigned lane = threadIdx.x % 32;
  const float a = in[lane], b = in[32 + lane];
  float sums[fma_chains];
#pragma unroll
  for (int i = 0; i < fma_chains; ++i) sums[i] = in[64 + 32 * i + lane];
#pragma unroll 32
  for (int round = 0; round < fma_rounds; ++round)
#pragma unroll
    for (int i = 0; i < fma_chains; ++i) sums[i] = __fmaf_rn(a, b, sums[i]);

  float* const of_thread =
      out + static_cast<long long>(blockIdx.x) * fma_threads_per_block * fma_chains + threadIdx.x;
#pragma unroll
  for (int i = 0; i < fma_chains; ++i) of_thread[i * fma_threads_per_block] = sums[i];
}

void fma_f32(launcher& to, const problem& p, const switches&) {
  launch(to, add_products, dim3(fma_blocks), dim3(fma_threads_per_block), 0, static_cast<const float*>(p.in),
         static_cast<float*>(p.out));
}

}  // namespace ablate::ceilings
