#pragma once

#include "harness/registry/operation.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Inputs, the oracle's answer, the bitwise check against it, and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::voxelize
