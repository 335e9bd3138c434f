// Ranks within a block come from counters in shared memory; the block commits its counters to device memory
// in bulk and rebases the ranks by what the commit returned (Flash3D, supplement, §10.1, "two-stage
// counter"). Every block commits every bucket, as published; `zero_counts::skipped` skips buckets in
// which it has no points, and `equal_lanes::merged` first lets one lane count for all lanes with its bucket.
// Should move: L2 atomic lanes, from one per point to one per bucket and block; shared atomics and barrier
// stalls, up.
#pragma once

#include "kernels/psh_bucket/counters/warp_aggregated.cuh"

namespace ablate::psh_bucket {

enum class zero_counts { committed, skipped };
enum class equal_lanes { apart, merged };

/// See global_atomic_counter for the interface.
template <zero_counts Zeros = zero_counts::committed, equal_lanes Lanes = equal_lanes::apart>
class two_stage_counter {
 public:
  static constexpr int cluster_blocks = 1;
  static std::size_t shared_words(int buckets) { return 2 * buckets; }

  __device__ two_stage_counter(std::uint32_t* shared, int buckets)
      : local_(shared), base_(shared + buckets), buckets_(buckets) {}

  template <bool Instrumented>
  __device__ unsigned take(std::uint32_t* counters, bool active, unsigned bucket,
                           tally<Instrumented>& events) {
    for (int b = threadIdx.x; b < buckets_; b += blockDim.x) local_[b] = 0;
    __syncthreads();
    const unsigned rank = rank_in_block(active, bucket, events);
    __syncthreads();
    for (int b = threadIdx.x; b < buckets_; b += blockDim.x) {
      const unsigned count = local_[b];
      if (Zeros == zero_counts::skipped && count == 0) continue;
      base_[b] = atomicAdd(counters + b, count);
      events.add(global_atomics);
    }
    __syncthreads();
    return active ? base_[bucket] + rank : 0;
  }

 private:
  template <bool Instrumented>
  __device__ unsigned rank_in_block(bool active, unsigned bucket, tally<Instrumented>& events) {
    if constexpr (Lanes == equal_lanes::merged) {
      const bucket_peers peers(active, bucket);
      unsigned base = 0;
      if (peers.leads()) {
        base = atomicAdd(local_ + bucket, peers.count());
        events.add(shared_atomics);
      }
      return peers.from_leader(base) + peers.rank;
    } else {
      if (!active) return 0;
      events.add(shared_atomics);
      return atomicAdd(local_ + bucket, 1u);
    }
  }

  std::uint32_t *local_, *base_;  ///< [buckets] each
  int buckets_;
};

}  // namespace ablate::psh_bucket
