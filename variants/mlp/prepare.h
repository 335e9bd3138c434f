#pragma once

#include "harness/registry/operation.h"
#include "oracles/mlp/checked_problem.h"

namespace ablate::mlp {

/// Samples, check, host reference and work model.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::mlp
