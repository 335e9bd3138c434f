#include "harness/device/occupancy.h"

#if ABLATE_HAS_CUDA
#include <cuda_occupancy.h>

#include <climits>
#endif

namespace ablate {

#if ABLATE_HAS_CUDA

namespace {

constexpr int warp_size = 32;

cudaOccDeviceProp properties(const chip& c) {
  constexpr int max_threads_per_block = 1024;
  constexpr std::size_t shared_bytes_without_opt_in = 48 * 1024;
  cudaOccDeviceProp p;
  p.computeMajor = c.compute_capability / 10;
  p.computeMinor = c.compute_capability % 10;
  p.maxThreadsPerBlock = max_threads_per_block;
  p.maxThreadsPerMultiprocessor = c.warps_per_multiprocessor * warp_size;
  p.regsPerBlock = c.registers_per_multiprocessor;
  p.regsPerMultiprocessor = c.registers_per_multiprocessor;
  p.warpSize = warp_size;
  p.sharedMemPerBlock = shared_bytes_without_opt_in;
  p.sharedMemPerMultiprocessor = c.shared_bytes_per_multiprocessor;
  p.numSms = c.multiprocessors;
  p.sharedMemPerBlockOptin = c.shared_bytes_per_block;
  p.reservedSharedMemPerBlock = c.shared_bytes_reserved_per_block;
  return p;
}

cudaOccFuncAttributes attributes(const block_resources& block) {
  cudaOccFuncAttributes a;
  a.maxThreadsPerBlock = INT_MAX;
  a.numRegs = block.registers_per_thread;
  a.sharedSizeBytes = block.static_shared_bytes;
  a.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  a.maxDynamicSharedSizeBytes = block.dynamic_shared_bytes;
  a.numBlockBarriers = 1;
  return a;
}

}  // namespace

std::optional<double> theoretical_occupancy(const chip& c, const block_resources& block) {
  const cudaOccDeviceProp device = properties(c);
  const cudaOccFuncAttributes function = attributes(block);
  const cudaOccDeviceState state;
  cudaOccResult result{};
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, block.threads,
                                              block.dynamic_shared_bytes) != CUDA_OCC_SUCCESS)
    return std::nullopt;
  const int warps_per_block = (block.threads + warp_size - 1) / warp_size;
  return static_cast<double>(result.activeBlocksPerMultiprocessor * warps_per_block) /
         c.warps_per_multiprocessor;
}

#else

std::optional<double> theoretical_occupancy(const chip&, const block_resources&) { return std::nullopt; }

#endif

}  // namespace ablate
