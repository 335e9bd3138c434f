// The two-stage counter without committing zeros, in the three-kernel pipeline: see counters/two_stage.cuh.
#include "kernels/psh_bucket/counters/two_stage.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void two_stage_skip_zero(launcher& to, const problem& p, const switches& s) {
  bucket_with<two_stage_counter<zero_counts::skipped>>(to, p, s);
}

}  // namespace ablate::psh_bucket
