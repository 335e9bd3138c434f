#pragma once

#include "harness/registry/operation.h"
#include "kernels/selection_attention/selection_attention.h"

namespace ablate::selection_attention {

/// Sampled rows, what is known of the outputs, the check against plain attention (fp32, all rows, on the
/// device; fp64, sampled rows, on the host), and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::selection_attention
