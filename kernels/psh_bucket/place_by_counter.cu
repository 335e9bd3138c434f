// The three-kernel pipeline: zeroing and box, placing (place.cuh), drain or fill with the scatter after it. A
// counter gives a point its rank in its bucket: see counters/*.cuh.
//   launch=split   insertion and rebalancing in separate kernels.
//   rollback=none  without decrements: overflowing points and late claims stay counted, and the fill treats a
//                  counter above the capacity as a full bucket. Strict mode. Should move: L2 atomic requests,
//                  down by one per overflowing point and failed claim.
#include "kernels/psh_bucket/counters/cluster.cuh"
#include "kernels/psh_bucket/counters/global_atomic.cuh"
#include "kernels/psh_bucket/counters/two_stage.cuh"
#include "kernels/psh_bucket/counters/warp_aggregated.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

/// Of counters that can do without decrements, which then place points in one kernel.
template <class Counter>
void bucket_with_or_without_rollback(launcher& to, const problem& p, const switches& s) {
  (s.has("rollback") ? bucket_fused_with<keeps_claims<Counter>> : bucket_with<Counter>)(to, p, s);
}

void place_by_counter(launcher& to, const problem& p, const switches& s) {
  const text_view counter = s.word("counter");
  if (counter == "global_atomic")
    bucket_with_or_without_rollback<global_atomic_counter>(to, p, s);
  else if (counter == "warp_aggregated")
    bucket_with<warp_aggregated_counter>(to, p, s);
  else if (counter == "cluster")
    bucket_fused_with<cluster_counter>(to, p, s);
  else if (counter == "two_stage_warp_aggregated")
    bucket_with<two_stage_counter<zero_counts::skipped, equal_lanes::merged>>(to, p, s);
  else if (counter == "two_stage_skip_zero")
    bucket_with_or_without_rollback<two_stage_counter<zero_counts::skipped>>(to, p, s);
  else
    bucket_with_or_without_rollback<two_stage_counter<>>(to, p, s);
}

}  // namespace ablate::psh_bucket
