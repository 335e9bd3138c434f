#pragma once

#include "oracles/gated_attention_backward/checked_problem.h"
#include "oracles/selection_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// selection_of, with what its comparison needs.
selection_attention_backward::checked_problem checked_selection_of(const checked_problem&, bool adds_pooled);

}  // namespace ablate::gated_attention_backward
