#pragma once

#include "harness/registry/operation.h"
#include "oracles/kernel_map/checked_problem.h"

namespace ablate::kernel_map {

/// Inputs, the oracle's answer, the check against it, and the work. Lists are unordered and too large for
/// the host, so the check compares their ends and digests.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::kernel_map
