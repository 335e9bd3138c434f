#pragma once

#include "harness/registry/operation.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// The workload of Block-Sparse attention: samples, what the oracle knows of them, check, figures and work.
workload prepare_block_sparse(const checked_problem&, const input_library&);

}  // namespace ablate::gated_attention
