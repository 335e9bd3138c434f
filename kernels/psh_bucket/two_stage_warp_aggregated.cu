// two_stage_skip_zero, lanes of a bucket merged, in the three-kernel pipeline: see counters/two_stage.cuh.
#include "kernels/psh_bucket/counters/two_stage.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void two_stage_warp_aggregated(launcher& to, const problem& p, const switches& s) {
  bucket_with<two_stage_counter<zero_counts::skipped, equal_lanes::merged>>(to, p, s);
}

}  // namespace ablate::psh_bucket
