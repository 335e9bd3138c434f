#pragma once

#include <cstdint>

#include "kernels/global_attention_backward/global_attention_backward.h"
#include "oracles/global_attention/checked_layer.h"
#include "oracles/window_attention_backward/checked_problem.h"

namespace ablate::global_attention_backward {

using global_attention::sampled_row;

/// What the comparison of any layer's gradients takes, beside that of its forward pass, whose samples of
/// outputs are the first ones here.
struct checks {
  const sampled_row* samples = nullptr;
  std::int64_t sampled_head = 0;       ///< of all samples
  float* sampled_gradients = nullptr;  ///< [3][samples][64], by the comparison
  void* row_reference = nullptr;       ///< plain gradients of rows
};

/// Where gradients are of all rows to all.
struct checks_among_all : checks {
  float* plain_delta = nullptr;  ///< [heads][padded rows]: row sums of dO∘O
};

/// Heads whose gradients among all rows are compared with plain ones: all where there are few rows; 2^33
/// products take about a second. The sampled one is among them.
struct compared_heads {
  std::int64_t first, count;
};
compared_heads compared_heads_of(std::int64_t padded_rows, std::int64_t heads, std::int64_t sampled_head);

/// Of these heads alone, against plain gradients; in memory of its own for these. Without samples; `found`
/// may be null.
window_attention_backward::checked_problem compared_rows(const compression_attention_backward::problem& rows,
                                                         const compared_heads&, const checks_among_all&,
                                                         window_attention_backward::deviations* found);

}  // namespace ablate::global_attention_backward
