#include "tests/kernels/backbone/dependent_launch_kernels.cuh"

#include "kernels/common/dependent_launch.cuh"

namespace ablate::test_support::dependent_launch_test {

__global__ __launch_bounds__(late_threads) void copy_late(const uint4* from, uint4* to, long long count,
                                                          long long wait_ns) {
  let_next_kernel_begin();
  if (threadIdx.x == 0) {
    long long began = 0, now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(began));
    do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - began < wait_ns);
  }
  __syncthreads();
  for (long long i = threadIdx.x; i < count; i += late_threads) to[i] = from[i];
}

}  // namespace ablate::test_support::dependent_launch_test
