#pragma once

#include "oracles/block_sparse_selection/checked_problem.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// choice_of, with what its comparison takes.
block_sparse_selection::checked_problem checked_choice_of(const checked_problem&);

}  // namespace ablate::gated_attention
