#include "harness/device/cuda_check.cuh"
#include "harness/timing/spin.cuh"

namespace ablate {

namespace {

__device__ unsigned long long now_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void spin(unsigned long long nanoseconds) {
  const unsigned long long start = now_ns();
  while (now_ns() - start < nanoseconds) {
  }
}

}  // namespace

void enqueue_spin(cudaStream_t stream, unsigned long long nanoseconds) {
  spin<<<1, 1, 0, stream>>>(nanoseconds);
  ABLATE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace ablate
