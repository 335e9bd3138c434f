#pragma once

#include "harness/registry/operation.h"
#include "oracles/selection_attention/checked_problem.h"

namespace ablate::selection_attention {

/// Sampled rows, what is known of the outputs, the check against plain attention (fp32, all rows, on the
/// device; fp64, sampled rows, on the host), and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::selection_attention
