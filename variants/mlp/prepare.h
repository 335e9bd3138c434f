#pragma once

#include "harness/registry/operation.h"
#include "kernels/mlp/mlp.h"

namespace ablate::mlp {

/// Samples, check, host reference and work model.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::mlp
