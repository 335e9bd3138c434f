// The direct counter with one atomic per bucket and warp: lanes of one bucket find each other by match, one
// of them adds for all, and each takes its place among them. Should move: L2 atomic lanes, down by the number
// of points that share a bucket within a warp, with no shared memory and no barrier.
#pragma once

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// The lanes of a warp that name the same bucket.
struct bucket_peers {
  unsigned lanes;  ///< those of this lane's bucket, itself among them; 0 where it is not active
  unsigned rank;   ///< how many of them come before this lane

  __device__ bucket_peers(bool active, unsigned bucket) {
    const unsigned named = __match_any_sync(~0u, active ? bucket : ~0u);
    lanes = active ? named : 0;
    rank = __popc(lanes & ((1u << lane()) - 1));
  }

  __device__ static unsigned lane() { return threadIdx.x % 32; }
  __device__ bool leads() const { return lanes != 0 && rank == 0; }
  __device__ unsigned count() const { return __popc(lanes); }
  /// The leader's value, to all of its peers. The whole warp calls this.
  __device__ unsigned from_leader(unsigned value) const {
    return __shfl_sync(~0u, value, lanes != 0 ? __ffs(lanes) - 1 : lane());
  }
};

/// See global_atomic_counter for the interface.
class warp_aggregated_counter {
 public:
  static constexpr int cluster_blocks = 1;
  static std::size_t shared_words(int) { return 0; }

  __device__ warp_aggregated_counter(std::uint32_t*, int) {}

  template <bool Instrumented>
  __device__ unsigned take(std::uint32_t* counters, bool active, unsigned bucket,
                           tally<Instrumented>& events) {
    const bucket_peers peers(active, bucket);
    unsigned base = 0;
    if (peers.leads()) {
      base = atomicAdd(counters + bucket, peers.count());
      events.add(global_atomics);
    }
    return peers.from_leader(base) + peers.rank;
  }
};

}  // namespace ablate::psh_bucket
