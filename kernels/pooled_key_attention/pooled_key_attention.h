#pragma once

#include <cstdint>
#include <vector>

#include "kernels/block_sparse_selection/block_means.h"
#include "kernels/compression_attention/compression_attention.h"
#include "kernels/global_attention/global_attention.h"

namespace ablate::pooled_key_attention {

/// Global attention of all tokens to the means of the blocks' k and v, in bf16, and to the special tokens as
/// they are, forward (docs/operations/pooled_key_attention.md). It has the queries of dense_attention and the
/// keys of gated_attention's compression.

using global_attention::phase;
using global_attention::width;

struct problem : global_attention::prepared_layer {        ///< lists: the means
  std::uint16_t *pooled_k = nullptr, *pooled_v = nullptr;  ///< bf16 [heads][rows_of_keys()][64]

  /// What all tokens attend to: blocks, then special tokens.
  std::int64_t rows_of_keys() const { return blocks() + tokens - layout().patches(); }
};

/// Means of k and of v, blocks' and then, where there are any, special tokens', which are blocks of one; and
/// attention of all tokens to them.
std::vector<block_sparse_selection::block_means> means_of(const problem&);
compression_attention::problem attention_of(const problem&);

}  // namespace ablate::pooled_key_attention
