// The rate of reductions (red.global.add.u32, no value returned): to distinct addresses in scattered order,
// each on a 32-byte sector of its own within its warp, and all to one address. Written in PTX, since the
// compiler folds a warp's adds of a constant to one address into one.
#include "kernels/ceilings/ceilings.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int threads = 256;
constexpr int reductions_per_thread = 4;

__device__ void reduce(unsigned* counter) {
  asm volatile("red.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

__global__ __launch_bounds__(threads) void reduce_scattered(unsigned* counters, unsigned mask,
                                                            long long reductions) {
  const long long first = static_cast<long long>(blockIdx.x) * threads * reductions_per_thread + threadIdx.x;
#pragma unroll
  for (int k = 0; k < reductions_per_thread; ++k) {
    const long long i = first + k * threads;
    // An odd multiplier permutes the counters: each takes the same number of reductions.
    if (i < reductions) reduce(counters + ((static_cast<unsigned>(i) * 2654435761u) & mask));
  }
}

__global__ __launch_bounds__(threads) void reduce_one_address(unsigned* counter, long long reductions) {
  const long long first = static_cast<long long>(blockIdx.x) * threads * reductions_per_thread + threadIdx.x;
#pragma unroll
  for (int k = 0; k < reductions_per_thread; ++k)
    if (first + k * threads < reductions) reduce(counter);
}

void red_scattered(launcher& to, const problem& p, const switches&) {
  launch(to, reduce_scattered, dim3(blocks_for(p.elements, threads * reductions_per_thread)), dim3(threads),
         0, static_cast<unsigned*>(p.out), static_cast<unsigned>(p.counters - 1), p.elements);
}

void red_one_address(launcher& to, const problem& p, const switches&) {
  launch(to, reduce_one_address, dim3(blocks_for(p.elements, threads * reductions_per_thread)), dim3(threads),
         0, static_cast<unsigned*>(p.out), p.elements);
}

}  // namespace ablate::ceilings
