#pragma once

#include "kernels/gated_attention/gated_attention.h"
#include "oracles/block_sparse_selection/checked_problem.h"

namespace ablate::gated_attention {

/// choice_of, with what its comparison takes.
block_sparse_selection::checked_problem checked_choice_of(const problem&);

}  // namespace ablate::gated_attention
