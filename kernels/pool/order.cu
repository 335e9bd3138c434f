// The bucket order itself, which psh_bucket makes: what pooling's index is held against. Points cut by their
// key where the problem hashes by z, else hashed with two-stage counters; each in one resident launch.
#include "kernels/pool/phases.h"
#include "kernels/psh_bucket/phases.h"

namespace ablate::pool {

void order_rows(launcher& to, const problem& p) {
  if (p.hashing.hash == psh_bucket::hash::z_div)
    psh_bucket::sort_and_chunk_resident(to, p.hashing, bucket_sort);
  else
    psh_bucket::two_stage_resident(to, p.hashing, {{"smem_request", "needed"}});
}

}  // namespace ablate::pool
