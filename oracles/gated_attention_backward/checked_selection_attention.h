#pragma once

#include "oracles/gated_attention_backward/checked_problem.h"
#include "oracles/selection_attention/checked_problem.h"

namespace ablate::gated_attention_backward {

/// selected_of, with what its comparison needs.
selection_attention::checked_problem checked_selected_of(const checked_problem&);

}  // namespace ablate::gated_attention_backward
