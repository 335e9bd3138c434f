#include "tests/harness/runner/sampled_kernels.cuh"

namespace ablate::sampled_gpu_test {

__global__ void occupy(unsigned* out, unsigned long long nanoseconds) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < nanoseconds);
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = 7;
}

}  // namespace ablate::sampled_gpu_test
