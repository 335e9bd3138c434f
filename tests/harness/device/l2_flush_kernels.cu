#include "tests/harness/device/l2_flush_kernels.cuh"

namespace ablate::l2_flush_test {

__device__ unsigned load_to_keep(const unsigned* from) {
  unsigned long long policy;
  unsigned value;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;"
               : "=r"(value)
               : "l"(from), "l"(policy)
               : "memory");
  return value;
}

__global__ void read_lines(const line* lines, unsigned count, bool keeps, unsigned* sum) {
  unsigned all = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    all += keeps ? load_to_keep(&lines[i].next) : __ldcg(&lines[i].next);
  if (all == ~0u) *sum = all;  // keeps the loads
}

__global__ void read_words(const uint4* words, std::size_t count, unsigned* sum) {
  unsigned all = 0;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += gridDim.x * static_cast<std::size_t>(blockDim.x)) {
    const uint4 v = words[i];
    all += v.x + v.y + v.z + v.w;
  }
  if (all == ~0u) *sum = all;
}

__global__ void follow_chain(const line* lines, unsigned steps, float* cycles, unsigned* end) {
  unsigned at = 0;
  const long long begin = clock64();
  for (unsigned i = 0; i < steps; ++i) at = __ldcg(&lines[at].next);
  *end = at;
  *cycles = static_cast<float>(clock64() - begin) / static_cast<float>(steps);
}

}  // namespace ablate::l2_flush_test
