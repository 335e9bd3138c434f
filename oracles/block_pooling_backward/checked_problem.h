#pragma once

#include <cstdint>

#include "kernels/block_pooling_backward/block_pooling_backward.h"
#include "oracles/block_pooling/checked_problem.h"

// Gradients of pooled rows with what their comparison needs besides, and their generated inputs.

namespace ablate::block_pooling_backward {

using block_pooling::deviation;
using block_pooling::sampled_row;

struct checked_problem : problem {
  // What the inputs are made of.
  std::uint64_t seed = 1;
  block_pooling::content what = block_pooling::content::unit;

  const sampled_row* samples = nullptr;  ///< [sample_count]: of q, k or v, a token each
  std::int64_t sample_count = 0;
  deviation* found = nullptr;    ///< [tensors], by the comparison
  float* sampled_out = nullptr;  ///< [sample_count][64], by the comparison

  /// The pooling whose inputs these are the gradients of.
  block_pooling::checked_problem checked_pooling() const {
    block_pooling::checked_problem of{pooling};
    of.seed = seed;
    of.what = what;
    return of;
  }
};

/// An element of what is given, as it is in memory: of a pooled row or, `of_tokens`, of a token's.
ABLATE_ON_BOTH inline std::uint16_t generated_gradient(const checked_problem& p, bool of_tokens, int which,
                                                       std::int64_t head, std::int64_t row, int element) {
  const std::int64_t rows = of_tokens ? p.pooling.tokens : p.pooling.blocks();
  const auto index =
      static_cast<std::uint64_t>(((which * p.pooling.heads + head) * rows + row) * width + element);
  return window_attention::generated_element(p.seed * 2 + of_tokens, block_pooling::tensor::out_gradient,
                                             index, 1);
}

}  // namespace ablate::block_pooling_backward
