#pragma once

#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// The layer's parts as problems of the operations that compute them, in the layer's memory.
block_pooling::problem pooling_of(const problem&);
compression_attention::problem compression_of(const problem&);
selection_attention::problem selection_of(const problem&);

/// The layer of `count` of its heads alone, from `first` on: what they attend to and leave, in the layer's
/// memory. For phase attend.
problem some_heads(const problem&, std::int64_t first, std::int64_t count);

/// Attention of the first frame's blocks alone to all rows (first_frame::dense). Rows after them, up to a
/// whole query tile, may be written as well: what computes those must run later.
compression_attention::problem first_frame_of(const problem&);

/// Attention of all rows to the first frame's blocks alone (first_frame::forced).
compression_attention::problem forced_of(const problem&);

}  // namespace ablate::gated_attention
