#pragma once

#include <vector>

#include "kernels/gated_attention/gated_attention.h"

namespace ablate::gated_attention {

/// The layer's parts as problems of the operations that compute them, in the layer's memory.
block_pooling::problem pooling_of(const problem&);
compression_attention::problem compression_of(const problem&);
selection_attention::problem selection_of(const problem&);

/// Block-Sparse attention's: the layer of tokens in the order of blocks, where they are moved; and of such a
/// layer, rows as int8, means of q and of k, the choice by them, and attention to what it keeps.
problem in_order(const problem&);
compression_attention::quantization quantization_of(const problem&);
block_sparse_selection::block_means query_means_of(const problem&);
block_sparse_selection::block_means key_means_of(const problem&);
block_sparse_selection::problem choice_of(const problem&);
compression_attention::problem kept_of(const problem&);

/// Means of k and of v, blocks' and then, where there are any, special tokens', which are blocks of one; and
/// attention of all tokens to them.
std::vector<block_sparse_selection::block_means> pooled_keys_of(const problem&);
compression_attention::problem to_pooled_keys_of(const problem&);

/// A step of merging, and attention among merged rows between the last two.
token_merging::problem merging_of(const problem&, token_merging::step);
compression_attention::problem among_merged_of(const problem&);

/// The layer of so many of its heads alone, from this one on: what they attend to and leave, in the layer's
/// memory. For phase attend.
problem some_heads(const problem&, std::int64_t first, std::int64_t count);

/// The dense method as attention among all rows, without lists.
compression_attention::problem dense_of(const problem&);

/// The same of the first frame's blocks alone (first_frame::dense). Rows behind them, up to a whole query
/// tile, may be written as well: what computes those goes behind.
compression_attention::problem first_frame_of(const problem&);

/// Attention of all rows to the first frame's blocks alone (first_frame::forced).
compression_attention::problem forced_of(const problem&);

/// The same of the special tokens alone, which are the last ones. Attention of all others goes ahead where it
/// writes rows behind its own.
compression_attention::problem special_of(const problem&);

}  // namespace ablate::gated_attention
