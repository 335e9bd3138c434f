#pragma once

#include "harness/registry/operation.h"
#include "oracles/gated_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// The workload of Block-Sparse attention trained: its forward pass's (gated_attention), and samples, check
/// and figures of its gradients.
workload prepare_block_sparse(const checked_problem&, const input_library&);

}  // namespace ablate::gated_attention_backward
