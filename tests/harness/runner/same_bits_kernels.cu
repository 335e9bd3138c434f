#include "tests/harness/runner/same_bits_kernels.cuh"

namespace ablate::same_bits_test {
namespace {

__device__ unsigned launches_before;
__device__ unsigned judged_before;

__device__ float root(unsigned i) { return sqrtf(static_cast<float>(i)); }

}  // namespace

__global__ void take_roots(float* out, bool flips) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= roots) return;
  const bool is_other = flips && i == flipped && launches_before % 2 == 1;
  out[i] = __uint_as_float(__float_as_uint(root(i)) ^ (is_other ? 1 : 0));
}

__global__ void count_launch() { ++launches_before; }

__global__ void write_word(unsigned* input) { input[2] = 1; }

__global__ void clear_findings(findings* found) { *found = {0, ++judged_before}; }

__global__ void judge_roots(const float* out, findings* found) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < roots && !(fabsf(out[i] - root(i)) <= 1e-6f * root(i))) atomicAdd(&found->wrong, 1u);
}

}  // namespace ablate::same_bits_test
