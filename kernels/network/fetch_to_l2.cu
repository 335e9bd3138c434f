// Prefetches layers' weights into L2. A layer's weights are cold, so its first blocks wait for device memory,
// which is idle during the preceding attention. Here each thread prefetches 4 KiB by a bulk prefetch (sm_80:
// line by line) without waiting; a block is one warp, small enough to run next to attention's blocks. Should
// move: time of layers after attention; no byte more than they read.
#include "kernels/common/launch.cuh"
#include "kernels/network/weights_ahead.h"

namespace ablate::backbone {

constexpr unsigned fetching_threads = 32, bytes_of_fetch = 4096;

__global__ __launch_bounds__(fetching_threads) void fetch_chunks(const unsigned char* from, long long bytes) {
  const long long at = (blockIdx.x * static_cast<long long>(fetching_threads) + threadIdx.x) * bytes_of_fetch;
  if (at >= bytes) return;
  const auto left = static_cast<unsigned>(bytes - at < bytes_of_fetch ? bytes - at : bytes_of_fetch);
#if __CUDA_ARCH__ >= 900
  constexpr unsigned bytes_of_unit = 16;
  if (left >= bytes_of_unit)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(from + at)),
                 "r"(left / bytes_of_unit * bytes_of_unit));
#else
  constexpr unsigned bytes_of_line = 128;
  for (unsigned i = 0; i < left; i += bytes_of_line)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from + at + i)));
#endif
}

void fetch_to_l2(launcher& to, const void* from, std::int64_t bytes) {
  launch(to, fetch_chunks, dim3(blocks_for(bytes, fetching_threads * bytes_of_fetch)), dim3(fetching_threads),
         0, static_cast<const unsigned char*>(from), bytes);
}

}  // namespace ablate::backbone
