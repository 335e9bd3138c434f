#include "tests/harness/timing/gpu_timing_kernels.cuh"

namespace ablate::gpu_timing_test {

__global__ void sum_words(const uint4* words, std::size_t count, unsigned* sum) {
  unsigned mine = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += gridDim.x * std::size_t{blockDim.x}) {
    const uint4 v = words[i];
    mine += v.x + v.y + v.z + v.w;
  }
  if (mine == 12345) *sum = mine;
}

}  // namespace ablate::gpu_timing_test
