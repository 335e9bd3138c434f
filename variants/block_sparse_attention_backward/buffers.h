#pragma once

#include "harness/registry/bound_buffers.h"
#include "oracles/block_sparse_attention_backward/checked_problem.h"

namespace ablate::block_sparse_attention_backward {

/// The buffers of a problem: the forward pass's first, as there.
bound_buffers buffers(checked_problem&);

}  // namespace ablate::block_sparse_attention_backward
