#pragma once

#include "kernels/common/launch_function.h"
#include "oracles/psh_bucket/checked_problem.h"

// The launch functions of the oracle of psh_bucket, by the file that defines them.

namespace ablate::psh_bucket {

// key_bits.cu
/// What the check is told of the order: the leading bits of the key by which the variant sorts, 0 where it
/// hashes.
void tell_hashed(launcher&, const checked_problem&, const switches&);
/// By as many as its switch `key_bits` says, or all 16.
void tell_sorted(launcher&, const checked_problem&, const switches&);

}  // namespace ablate::psh_bucket
