// The two-stage counter in the three-kernel pipeline: see counters/two_stage.cuh.
//   rollback=none  without the naive decrements: what overflows a bucket, and a claim that comes too late,
//                  stays counted, and the fill takes a counter above the capacity for a full bucket. Strict
//                  mode. Should move: L2 atomic requests, down by one per overflowing point and failed claim.
#include "kernels/psh_bucket/counters/two_stage.cuh"

#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void two_stage(launcher& to, const problem& p, const switches& s) {
  using skips_zeros = two_stage_counter<zero_counts::skipped>;
  const text_view counter = s.word("counter");
  const bool rolls_back = !s.has("rollback");
  if (counter == "two_stage_warp_aggregated")
    bucket_with<two_stage_counter<zero_counts::skipped, equal_lanes::merged>>(to, p, s);
  else if (counter == "two_stage_skip_zero")
    rolls_back ? bucket_with<skips_zeros>(to, p, s) : bucket_fused_with<keeps_claims<skips_zeros>>(to, p, s);
  else
    rolls_back ? bucket_with<two_stage_counter<>>(to, p, s)
               : bucket_fused_with<keeps_claims<two_stage_counter<>>>(to, p, s);
}

}  // namespace ablate::psh_bucket
