#pragma once

#include "harness/registry/operation.h"
#include "kernels/linear/linear.h"

namespace ablate::linear {

/// Samples, check, host reference and work model.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::linear
