#pragma once

#include "harness/registry/operation.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::row_norm {

/// Samples, check, host reference and work model.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::row_norm
