#pragma once

#include "oracles/gated_attention/checked_problem.h"
#include "oracles/token_merging/checked_problem.h"

namespace ablate::gated_attention {

/// merging_of, with what its comparison takes.
token_merging::checked_problem checked_merging_of(const checked_problem&, token_merging::step);

}  // namespace ablate::gated_attention
