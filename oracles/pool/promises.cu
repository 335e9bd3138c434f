// What the check cannot see in the outputs: what a variant promises of its index (checked_problem.h). A
// variant that fills the published table of members has it turned into lists, which is what the check reads.
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"
#include "kernels/psh_bucket/launches.h"
#include "oracles/pool/launches.h"
#include "oracles/psh_bucket/launches.h"

namespace ablate::pool {

__global__ void write_promises(std::int32_t* promises, int kept) { *promises = kept; }

/// As the switches of a variant have it.
int promises_of(const switches& s) {
  const text_view index = s.word("index");
  if (!s.has("blocks")) return index == "hash_table" ? 0 : keeps_ties | numbered_by_code;
  return (s.word("blocks") == "computed" ? ordered_blocks : 0) | (index == "radix_sort" ? keeps_ties : 0);
}

void tell_promises(launcher& to, const checked_problem& p, const switches& s) {
  if (p.does(phase::order))
    return p.hashing.hash == psh_bucket::hash::z_div
               ? psh_bucket::tell_sorted(to, checked_hashing_of(p), bucket_sort)
               : psh_bucket::tell_hashed(to, checked_hashing_of(p), {});
  if (s.word("members") == "table") list_table(to, p);
  launch(to, write_promises, dim3(1), dim3(1), 0, p.promises, promises_of(s));
}

}  // namespace ablate::pool
