// The two-stage counter in the three-kernel pipeline: see counters/two_stage.cuh.
#include "kernels/psh_bucket/counters/two_stage.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void two_stage(launcher& to, const problem& p, const switches& s) {
  bucket_with<two_stage_counter<>>(to, p, s);
}

}  // namespace ablate::psh_bucket
