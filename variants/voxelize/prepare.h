#pragma once

#include "harness/registry/operation.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Inputs, what the oracle says of them, the check against it, bit for bit, and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::voxelize
