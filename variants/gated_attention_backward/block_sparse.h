#pragma once

#include "harness/registry/operation.h"
#include "kernels/gated_attention_backward/gated_attention_backward.h"

namespace ablate::gated_attention_backward {

/// The workload of Block-Sparse attention trained: its forward pass's (gated_attention), and samples, check
/// and figures of its gradients.
workload prepare_block_sparse(const problem&, const input_library&);

}  // namespace ablate::gated_attention_backward
