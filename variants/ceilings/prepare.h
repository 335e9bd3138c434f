#pragma once

#include "harness/registry/operation.h"
#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

/// Inputs of a resource, what is known of its outputs, the check, and the work that its ceiling is counted
/// in.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::ceilings
