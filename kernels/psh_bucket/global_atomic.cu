// The direct counter in the three-kernel pipeline: see counters/global_atomic.cuh.
#include "kernels/psh_bucket/counters/global_atomic.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void global_atomic(launcher& to, const problem& p, const switches& s) {
  bucket_with<global_atomic_counter>(to, p, s);
}

}  // namespace ablate::psh_bucket
