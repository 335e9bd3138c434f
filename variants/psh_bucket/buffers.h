#pragma once

#include <span>
#include <vector>

#include "harness/registry/operation.h"
#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// The buffers of a problem; the first four are its inputs: coordinates, ends, steps of probes, features.
std::vector<buffer> buffers(const problem&);

/// Puts the buffers' addresses into the problem.
void attach(problem&, std::span<void* const> addresses);

}  // namespace ablate::psh_bucket
