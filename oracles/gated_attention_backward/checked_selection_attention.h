#pragma once

#include "kernels/gated_attention_backward/gated_attention_backward.h"
#include "oracles/selection_attention/checked_problem.h"

namespace ablate::gated_attention_backward {

/// selected_of, with what its comparison takes.
selection_attention::checked_problem checked_selected_of(const problem&);

}  // namespace ablate::gated_attention_backward
