// One commit per cluster, in the three-kernel pipeline: see counters/cluster.cuh.
#include "kernels/psh_bucket/counters/cluster.cuh"
#include "kernels/psh_bucket/launches.h"
#include "kernels/psh_bucket/place.cuh"

namespace ablate::psh_bucket {

void cluster(launcher& to, const problem& p, const switches& s) {
  bucket_fused_with<cluster_counter>(to, p, s);
}

}  // namespace ablate::psh_bucket
