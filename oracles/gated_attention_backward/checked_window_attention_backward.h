#pragma once

#include "kernels/gated_attention_backward/gated_attention_backward.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::gated_attention_backward {

/// rows_of, of the compared heads alone, against plain gradients; in memory of its own for these.
window_attention_backward::checked_problem compared_rows_of(const problem&);

}  // namespace ablate::gated_attention_backward
