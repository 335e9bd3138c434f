#pragma once

#include "oracles/gated_attention_backward/checked_problem.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// rows_of, of the compared heads alone, against plain gradients; in memory of its own for these.
window_attention_backward::checked_problem compared_rows_of(const checked_problem&);

}  // namespace ablate::gated_attention_backward
