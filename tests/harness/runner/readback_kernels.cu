#include "tests/harness/runner/readback_kernels.cuh"

namespace ablate::test_support {

__global__ void square_numbers(unsigned* hidden, unsigned stride, unsigned long long* computed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= squares) return;
  hidden[static_cast<unsigned long long>(i) * stride % squares] = i * i;
  if (computed) atomicAdd(computed, 1ull);
}

__global__ void copy_squares(const unsigned* hidden, unsigned stride, unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < squares) out[i] = hidden[static_cast<unsigned long long>(i) * stride % squares];
}

}  // namespace ablate::test_support
