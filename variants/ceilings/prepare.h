#pragma once

#include "harness/registry/operation.h"
#include "kernels/ceilings/ceilings.h"

namespace ablate::ceilings {

/// Inputs, the check against the oracle, and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::ceilings
