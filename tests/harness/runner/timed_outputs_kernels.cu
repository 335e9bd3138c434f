#include "tests/harness/runner/timed_outputs_kernels.cuh"

namespace ablate::timed_outputs_test {
namespace {

__device__ unsigned launches_before;

}  // namespace

__global__ void double_numbers(const unsigned* in, unsigned* out, const unsigned* queue, bool adds, fault f) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= numbers || launches_before >= f.idle_from || (f.drains && *queue != 0)) return;
  const unsigned doubled = 2 * in[i] + (launches_before >= f.wrong_from ? 1 : 0);
  out[i] = adds ? out[i] + doubled : doubled;
}

__global__ void count_launch(unsigned* queue) {
  ++launches_before;
  *queue = 1;
}

cudaError_t forget_launches() {
  constexpr unsigned none = 0;
  return cudaMemcpyToSymbol(launches_before, &none, sizeof none);
}

}  // namespace ablate::timed_outputs_test
