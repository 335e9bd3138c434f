#pragma once

#include <cstdint>
#include <vector>

#include "oracles/compression_attention/reference.h"
#include "oracles/global_attention/checked_layer.h"

// What the oracles of all layers of global attention begin at: a layer in fp64, one head, from inputs that it
// makes itself.

namespace ablate::global_attention {

using compression_attention::row_values;

/// A token's attention to some keys.
struct exact_token {
  row_values out{};
  double scale = 0;  ///< what errors of the row are divided by (window_attention::deviation)
  double lse = 0;    ///< ln Σ exp of its scores; −∞ without keys
};

/// Attention of the given tokens to all tokens.
std::vector<exact_token> reference_among_all(const checked_layer&, std::int64_t head,
                                             const std::vector<std::int64_t>& tokens);

/// The same, and what else the one walk over all tokens of a head is good for.
struct exact_head {
  std::vector<exact_token> dense;                      ///< of the given tokens, to all tokens
  std::vector<row_values> pooled_keys, pooled_values;  ///< of all blocks: means, rounded to bf16
};
exact_head reference_with_means(const checked_layer&, std::int64_t head,
                                const std::vector<std::int64_t>& tokens);

/// The mean of the query rows of a block, rounded to bf16.
row_values reference_pooled_query(const checked_layer&, std::int64_t head, std::int64_t block);

}  // namespace ablate::global_attention
