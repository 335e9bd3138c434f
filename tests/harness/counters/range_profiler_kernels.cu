#include "tests/harness/counters/range_profiler_kernels.cuh"

#include <stdexcept>

namespace ablate::range_profiler_test {
namespace {

constexpr int threads = 256;

__global__ void copy_each(const uint4* in, uint4* out, long long vectors) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < vectors) out[i] = in[i];
}

__global__ void read_each(const uint4* in, long long vectors, unsigned* out) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  const uint4 v = in[i];
  if ((v.x | v.y | v.z | v.w) == 1) *out = 1;  // never so: the buffer holds zeros
}

template <int steps>
__global__ void multiply_and_add(float* out) {
  float x = static_cast<float>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < steps; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  if (x == 12345) *out = x;
}

}  // namespace

void copy_vectors(const uint4* in, uint4* out, long long vectors) {
  copy_each<<<static_cast<unsigned>(vectors / threads), threads>>>(in, out, vectors);
}

void read_vectors(const uint4* in, long long vectors, unsigned* out) {
  read_each<<<static_cast<unsigned>(vectors / threads), threads>>>(in, vectors, out);
}

void multiply_add(int steps, unsigned blocks, float* out) {
  switch (steps) {
    case 64:
      return multiply_and_add<64><<<blocks, multiply_add_threads>>>(out);
    case 448:
      return multiply_and_add<448><<<blocks, multiply_add_threads>>>(out);
    default:
      throw std::invalid_argument("multiply_add: 64 or 448 steps");
  }
}

}  // namespace ablate::range_profiler_test
