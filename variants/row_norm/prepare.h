#pragma once

#include "harness/registry/operation.h"
#include "oracles/row_norm/checked_problem.h"

namespace ablate::row_norm {

/// Samples, check, host reference and work model.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::row_norm
