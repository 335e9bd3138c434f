#pragma once

#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// The layer's parts as problems of the operations that compute them, in the layer's memory.
block_pooling::problem pooling_of(const problem&);
compression_attention::problem compression_of(const problem&);
selection_attention::problem selection_of(const problem&);

/// The dense method as attention among all rows, without lists.
compression_attention::problem dense_of(const problem&);

}  // namespace ablate::gated_attention
