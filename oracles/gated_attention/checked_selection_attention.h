#pragma once

#include "kernels/gated_attention/gated_attention.h"
#include "oracles/selection_attention/checked_problem.h"

namespace ablate::gated_attention {

/// selection_of, with what its comparison takes.
selection_attention::checked_problem checked_selection_of(const problem&);

}  // namespace ablate::gated_attention
