#pragma once

#include "harness/registry/operation.h"
#include "oracles/dense_attention_backward/checked_problem.h"

namespace ablate::dense_attention_backward {

/// Samples, what the oracle knows of them, the checks of the forward pass and of the gradients, and the work.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::dense_attention_backward
