#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/block_sparse_attention_backward/block_sparse_attention_backward.h"
#include "oracles/block_sparse_attention/checked_problem.h"
#include "oracles/global_attention_backward/checks.h"

namespace ablate::block_sparse_attention_backward {

using global_attention_backward::sampled_row;

/// Of the backward pass; the forward pass has its own (block_sparse_attention::findings).
struct findings {
  window_attention_backward::deviations rows;  ///< of the compared rows
  unsigned long long not_turned;               ///< bits turned around, and counts of them, that are others
};

/// samples: [forward_checks.sample_count], for all three gradients.
struct checks : global_attention_backward::checks {
  findings* found = nullptr;  ///< [1], by the comparison
};

/// A layer that is trained, with what its comparison needs besides.
struct checked_problem : problem, checks {
  block_sparse_attention::checks forward_checks;  ///< seed, contents and samples are the whole layer's

  /// Rows whose gradients are compared with plain ones: every m-th of all heads', m odd so that all places in
  /// a tile are met. 2^30 pairs take plain arithmetic about a second.
  std::int64_t compared_stride() const {
    constexpr std::int64_t max_pairs = std::int64_t{1} << 30;
    return (forward.heads * forward.tokens * forward.tokens + max_pairs - 1) / max_pairs | 1;
  }
  std::int64_t compared_rows() const {
    return (forward.heads * forward.tokens + compared_stride() - 1) / compared_stride();
  }

  block_sparse_attention::checked_problem checked_forward() const { return {forward, forward_checks}; }
};

/// Gradients of the compared rows in plain fp32 arithmetic, and what the layer left there.
struct plain_gradients {
  float* of[gradients];            ///< [compared rows][64]
  float* scale[gradients];         ///< [compared rows]: what a row's errors are divided by
  std::uint16_t* seen[gradients];  ///< bf16, as `of`
};
plain_gradients cut_reference(const checked_problem&, std::size_t* bytes = nullptr);

}  // namespace ablate::block_sparse_attention_backward
