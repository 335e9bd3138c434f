#pragma once

#include "harness/registry/operation.h"
#include "oracles/compression_attention_backward/checked_problem.h"

namespace ablate::compression_attention_backward {

/// Sampled rows, what is known of their gradients, the check against plain gradients (fp32, all rows, on the
/// device; fp64, sampled rows, on the host), and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::compression_attention_backward
