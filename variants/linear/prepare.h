#pragma once

#include "harness/registry/operation.h"
#include "oracles/linear/checked_problem.h"

namespace ablate::linear {

/// Samples, check, host reference and work model.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::linear
