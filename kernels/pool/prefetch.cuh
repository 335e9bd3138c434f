#pragma once

#include "kernels/pool/bucket_block.cuh"

namespace ablate::pool {

constexpr unsigned sector_bytes = 32;

/// Prefetches the sectors of `bytes` from an address on, without waiting for them.
__device__ inline void prefetch_to_l2(const void* from, unsigned bytes) {
  const auto* const begin = static_cast<const unsigned char*>(from);
  for (unsigned at = threadIdx.x * sector_bytes; at < bytes; at += block_points * sector_bytes)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(begin + at));
}

}  // namespace ablate::pool
