#pragma once

#include "harness/registry/operation.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::window_attention_backward {

/// Inputs, the check against plain fp32 gradients on the device and fp64 on the host, and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::window_attention_backward
