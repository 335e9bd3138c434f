// two_stage_skip_zero with one commit per cluster. Each block counts in its own shared memory; then block k
// of the cluster sums every 8th bucket over all blocks through distributed shared memory, adds the sum to
// device memory once, and hands each block its base. Should move: L2 atomic lanes, down by the cluster size
// against that, at the cost of cluster barriers and remote shared-memory accesses.
#pragma once

#include <cooperative_groups.h>

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// See global_atomic_counter for the interface; all blocks of the cluster call `take` together.
class cluster_counter {
 public:
  static constexpr int cluster_blocks = 8;  ///< the largest portable cluster size
  static std::size_t shared_words(int buckets) { return 2 * buckets; }

  __device__ cluster_counter(std::uint32_t* shared, int buckets)
      : local_(shared), base_(shared + buckets), buckets_(buckets) {}

  template <bool Instrumented>
  __device__ unsigned take(std::uint32_t* counters, bool active, unsigned bucket,
                           tally<Instrumented>& events) {
#if __CUDA_ARCH__ >= 900
    const auto cluster = cooperative_groups::this_cluster();
    for (int b = threadIdx.x; b < buckets_; b += blockDim.x) local_[b] = 0;
    __syncthreads();
    unsigned rank = 0;
    if (active) {
      rank = atomicAdd(local_ + bucket, 1u);
      events.add(shared_atomics);
    }
    cluster.sync();
    const int first = static_cast<int>(threadIdx.x * cluster_blocks + cluster.block_rank());
    for (int b = first; b < buckets_; b += static_cast<int>(blockDim.x) * cluster_blocks) {
      unsigned before[cluster_blocks], sum = 0;
      for (int k = 0; k < cluster_blocks; ++k) before[k] = cluster.map_shared_rank(local_, k)[b];
      for (int k = 0; k < cluster_blocks; ++k) {
        const unsigned count = before[k];
        before[k] = sum;
        sum += count;
      }
      if (sum == 0) continue;
      const unsigned base = atomicAdd(counters + b, sum);
      events.add(global_atomics);
      for (int k = 0; k < cluster_blocks; ++k) cluster.map_shared_rank(base_, k)[b] = base + before[k];
    }
    cluster.sync();
    return active ? base_[bucket] + rank : 0;
#else
    return 0;
#endif
  }

 private:
  std::uint32_t *local_, *base_;  ///< [buckets] each, in this block's shared memory
  int buckets_;
};

}  // namespace ablate::psh_bucket
