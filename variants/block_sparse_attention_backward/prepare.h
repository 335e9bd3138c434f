#pragma once

#include "harness/registry/operation.h"
#include "oracles/block_sparse_attention_backward/checked_problem.h"

namespace ablate::block_sparse_attention_backward {

/// The forward pass's workload, and samples, check and figures of the gradients.
workload prepare(const checked_problem&, const axis_values&, const input_library&);

}  // namespace ablate::block_sparse_attention_backward
