// One returning atomic in device memory per point; its result is the point's rank. ("AtomicInc gives the
// rank", Flash3D, §4.) Should move: L2 atomic requests, one per distinct address in a warp; points that share
// a bucket contend for one address.
#pragma once

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// Counts points in buckets. All threads of a block call `take` together: an active thread gets the number of
/// points already in its bucket. `counters`: [buckets] in device memory.
class global_atomic_counter {
 public:
  static constexpr int cluster_blocks = 1;
  static std::size_t shared_words(int) { return 0; }

  __device__ global_atomic_counter(std::uint32_t*, int) {}

  template <bool Instrumented>
  __device__ unsigned take(std::uint32_t* counters, bool active, unsigned bucket,
                           tally<Instrumented>& events) {
    if (!active) return 0;
    events.add(global_atomics);
    return atomicAdd(counters + bucket, 1u);
  }
};

}  // namespace ablate::psh_bucket
