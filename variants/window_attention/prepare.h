#pragma once

#include "harness/registry/operation.h"
#include "oracles/window_attention/checked_problem.h"

namespace ablate::window_attention {

/// Inputs, what is known about the outputs, the check against plain attention (fp32, all rows, on the device;
/// fp64, sampled rows, on the host), and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::window_attention
