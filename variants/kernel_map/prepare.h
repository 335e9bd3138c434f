#pragma once

#include "harness/registry/operation.h"
#include "kernels/kernel_map/kernel_map.h"

namespace ablate::kernel_map {

/// Inputs, the oracle's answer, the check against it, and the work. Lists are unordered and too large for
/// the host, so the check compares their ends and digests.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::kernel_map
