#pragma once

#include "kernels/gated_attention_backward/gated_attention_backward.h"

namespace ablate::gated_attention_backward {

// The layer's parts as problems of the operations that compute them, in the layer's memory.

/// Attention to the blocks of the lists, as it is before the gate: what the forward pass kept.
selection_attention::problem selected_of(const problem&);

/// The transposed lists.
list_transpose::problem inversion_of(const problem&);

/// Gradients of gates, of compressed rows, and of tokens by way of the lists; with `adds_pooled`, those that
/// tokens get from pooled rows as well.
selection_attention_backward::problem selection_of(const problem&, bool adds_pooled);

/// Gradients of attention among pooled rows.
compression_attention_backward::problem rows_of(const problem&);

/// What tokens get from pooled rows, added in place.
block_pooling_backward::problem pooling_of(const problem&);

}  // namespace ablate::gated_attention_backward
