#pragma once

#include "kernels/gated_attention/gated_attention.h"
#include "oracles/token_merging/checked_problem.h"

namespace ablate::gated_attention {

/// merging_of, with what its comparison takes.
token_merging::checked_problem checked_merging_of(const problem&, token_merging::step);

}  // namespace ablate::gated_attention
