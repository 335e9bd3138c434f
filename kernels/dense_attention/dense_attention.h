#pragma once

#include <cstdint>

#include "kernels/compression_attention/compression_attention.h"
#include "kernels/global_attention/global_attention.h"

namespace ablate::dense_attention {

/// Global attention of all tokens to all, per head: softmax(Q·Kᵀ / √64)·V, forward
/// (docs/operations/dense_attention.md). It is what gated_attention and the other layers of global attention
/// replace.

using global_attention::width;

struct problem : global_attention::layer {
  std::int64_t first_query = 0, queries = 0;  ///< only these rows attend; 0 queries: all do

  ABLATE_ON_BOTH std::int64_t attending_tokens() const { return queries > 0 ? queries : tokens; }
};

/// As attention among rows without lists.
compression_attention::problem attention_of(const problem&);

}  // namespace ablate::dense_attention
