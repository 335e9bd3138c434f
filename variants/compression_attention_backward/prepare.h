#pragma once

#include "harness/registry/operation.h"
#include "kernels/compression_attention_backward/compression_attention_backward.h"

namespace ablate::compression_attention_backward {

/// Sampled rows, what is known of their gradients, the check against plain gradients (fp32, all rows, on the
/// device; fp64, sampled rows, on the host), and the work.
workload prepare(const problem&, const axis_values&, const input_library&);

}  // namespace ablate::compression_attention_backward
