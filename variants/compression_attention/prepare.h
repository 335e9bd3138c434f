#pragma once

#include "harness/registry/operation.h"
#include "oracles/compression_attention/checked_problem.h"

namespace ablate::compression_attention {

/// Sampled rows, what is known of their outputs and lists, the check against plain attention (fp32, on the
/// device) and the oracle (fp64, sampled rows, on the host), and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::compression_attention
