#pragma once

#include "harness/registry/operation.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// Rows and their answer, the check against it, the work, facts of the input and what the rules choose for
/// it.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::kernel_map
