#pragma once

#include "harness/registry/operation.h"
#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// The workload of Block-Sparse attention: samples, what the oracle knows of them, check, figures and work.
workload prepare_block_sparse(const problem&, const input_library&);

}  // namespace ablate::gated_attention
