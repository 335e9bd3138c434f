#pragma once

#include "oracles/block_pooling/checked_problem.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention {

/// pooling_of, with what its comparison needs.
block_pooling::checked_problem checked_pooling_of(const checked_problem&);

}  // namespace ablate::gated_attention
