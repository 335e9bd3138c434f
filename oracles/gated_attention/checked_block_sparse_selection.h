#pragma once

#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// choice_of, with what its comparison takes.
block_sparse_selection::problem checked_choice_of(const problem&);

}  // namespace ablate::gated_attention
