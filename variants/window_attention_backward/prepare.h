#pragma once

#include "harness/registry/operation.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::window_attention_backward {

/// Inputs, the check against plain fp32 gradients on the device and fp64 on the host, and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::window_attention_backward
