#pragma once

#include "harness/registry/operation.h"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Points in their order, the counts that the oracle has for them, the check and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::voxelize
