#pragma once

#include "oracles/gated_attention_backward/checked_problem.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// rows_of, of the compared heads alone, with what its comparison needs.
window_attention_backward::checked_problem compared_rows_of(const checked_problem&);

}  // namespace ablate::gated_attention_backward
