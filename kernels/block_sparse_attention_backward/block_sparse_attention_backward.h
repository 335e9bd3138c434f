#pragma once

#include <cstdint>

#include "kernels/block_sparse_attention/block_sparse_attention.h"
#include "kernels/global_attention_backward/global_attention_backward.h"

namespace ablate::block_sparse_attention_backward {

/// Global attention to kept blocks, trained: forward, then backward
/// (docs/operations/block_sparse_attention_backward.md): dQ, dK and dV of the pairs of 128 queries and 64
/// keys that the forward pass kept, in the geometry s3r, in the natural order, by bf16. Which pairs is
/// constant: no gradient passes through the choice. Tokens are whole query blocks.

using global_attention_backward::gradients;
using global_attention_backward::phase;
using global_attention_backward::width;

constexpr int rows_of_query_block = block_sparse_selection::query_block,
              rows_of_key_block = block_sparse_selection::key_block;

struct problem : global_attention_backward::backward_pass {
  block_sparse_attention::problem forward;

  std::uint32_t* turned = nullptr;        ///< [heads][key_blocks()][query_words()]: bits
  std::int32_t* turned_counts = nullptr;  ///< [heads][key_blocks()]

  std::int64_t query_blocks() const { return forward.tokens / rows_of_query_block; }
  std::int64_t key_blocks() const { return forward.tokens / rows_of_key_block; }
  std::int64_t key_words() const { return (key_blocks() + 31) / 32; }
  std::int64_t query_words() const { return (query_blocks() + 31) / 32; }
};

/// As gradients of all rows, of whose pairs not all are there.
inline window_attention_backward::problem rows_of(const problem& p) {
  return among_all(p.forward, p).gradients;
}

}  // namespace ablate::block_sparse_attention_backward
