// The two-stage counter without the naive decrements: what overflows a bucket, and a claim that comes too
// late, stays counted, and the fill takes a counter above the capacity for a full bucket. The control between
// two_stage, which gives back, and two_stage_resident, which never does and is one launch besides; with zeros
// committed or not. Strict mode. Should move: L2 atomic requests, down by one an overflowing point and one a
// failed claim.
#include "kernels/psh_bucket/counters/two_stage.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void two_stage_no_rollback(launcher& to, const problem& p, const switches& s) {
  if (s.word("counter") == "two_stage_skip_zero")
    bucket_fused_with<keeps_claims<two_stage_counter<zero_counts::skipped>>>(to, p, s);
  else
    bucket_fused_with<keeps_claims<two_stage_counter<>>>(to, p, s);
}

}  // namespace ablate::psh_bucket
