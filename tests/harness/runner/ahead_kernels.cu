#include "tests/harness/runner/ahead_kernels.cuh"

namespace ablate::test_support {

__global__ void copy_numbers(const unsigned* in, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < numbers) out[i] = in[i];
}

__global__ void triple_numbers(unsigned* out, unsigned* tripled) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= numbers) return;
  out[i] *= 3;
  atomicAdd(tripled, 1u);
}

__global__ void double_numbers(const unsigned* in, unsigned* table) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < numbers) table[i] = 2 * in[i];
}

}  // namespace ablate::test_support
