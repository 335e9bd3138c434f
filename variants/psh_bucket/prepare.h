#pragma once

#include "harness/registry/operation.h"
#include "oracles/psh_bucket/checked_problem.h"

namespace ablate::psh_bucket {

/// Inputs, the check, and the work. A point's bucket depends on the order of atomics, so the check tests the
/// properties of every correct answer instead of comparing with the oracle's.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::psh_bucket
