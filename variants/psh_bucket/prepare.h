#pragma once

#include "harness/registry/operation.h"
#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// Inputs, the check, and the work. Which bucket a point gets depends on the order of atomics, so the check
/// asks for the properties that every right answer has, not for the oracle's.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::psh_bucket
