// global_atomic, lanes of a bucket merged, in the three-kernel pipeline: see counters/warp_aggregated.cuh.
#include "kernels/psh_bucket/counters/warp_aggregated.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void warp_aggregated(launcher& to, const problem& p, const switches& s) {
  bucket_with<warp_aggregated_counter>(to, p, s);
}

}  // namespace ablate::psh_bucket
