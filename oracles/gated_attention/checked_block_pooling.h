#pragma once

#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// pooling_of, with what its comparison takes.
block_pooling::problem checked_pooling_of(const problem&);

}  // namespace ablate::gated_attention
