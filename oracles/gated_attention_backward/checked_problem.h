#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gated_attention_backward/gated_attention_backward.h"
#include "oracles/gated_attention/checked_problem.h"

namespace ablate::gated_attention_backward {

using gated_attention::sampled_row;

struct findings;  ///< of the comparison: findings.h

/// A layer that is trained, with what its comparison takes beside it.
struct checked_problem : problem {
  gated_attention::checks forward_checks;  ///< seed, contents and samples are the whole layer's

  /// [2 · forward_checks.sample_count], all of `sampled_head`: tokens whose dQ and gates the check reads,
  /// those of forward_checks.samples; then tokens whose dK and dV it reads. Where the method is dense their
  /// batch is a head, counted from the first one that is compared. Of block_sparse
  /// [forward_checks.sample_count], for all three.
  const sampled_row* samples = nullptr;
  std::int64_t sampled_head = 0;
  findings* found = nullptr;              ///< [1], by the comparison; also all that follows
  float* sampled_gradients = nullptr;     ///< [3][sample_count][64]
  float* sampled_gates = nullptr;         ///< [sample_count][2 + 64]: dγ_c, dγ_s, dC; sparse alone
  std::int32_t* sampled_lists = nullptr;  ///< [blocks][selected] of the samples' head; sparse, knows_keys()
  float* plain_delta = nullptr;  ///< [heads][rows_of(problem).tokens]: row sums of dO∘O, or of dC∘C
  void *gradient_reference = nullptr, *row_reference = nullptr;  ///< reference_bytes of the parts

  /// Of block_sparse, rows whose gradients are compared with plain ones: every m-th of all heads', m odd so
  /// that all places in a tile are met. 2^30 pairs take plain arithmetic about a second.
  std::int64_t compared_kept_stride() const {
    constexpr std::int64_t most_pairs = std::int64_t{1} << 30;
    return (forward.heads * forward.tokens * forward.tokens + most_pairs - 1) / most_pairs | 1;
  }
  std::int64_t compared_kept_rows() const {
    return (forward.heads * forward.tokens + compared_kept_stride() - 1) / compared_kept_stride();
  }
  /// dK and dV of a row need the weights of all others, which the oracle computes of pooled rows, of 32
  /// images at most. Beyond, and of tokens, they are compared with plain gradients alone.
  bool knows_keys() const { return is_sparse() && rows() <= 2016; }
  /// Gradients among all rows are compared with plain ones, of all heads where there are few rows: 2^33
  /// products take about a second.
  std::int64_t compared_heads() const {
    constexpr std::int64_t most_products = std::int64_t{1} << 33;
    const std::int64_t heads = most_products / (padded_rows() * padded_rows());
    return heads < 1 ? 1 : heads < forward.heads ? heads : forward.heads;
  }
  /// The first of them. The sampled one is among them.
  std::int64_t compared_head() const {
    const std::int64_t last = forward.heads - compared_heads();
    return sampled_head < last ? sampled_head : last;
  }

  gated_attention::checked_problem checked_forward() const { return {forward, forward_checks}; }
};

/// Of block_sparse: gradients of the compared rows in plain fp32 arithmetic, and what the layer left there.
struct plain_kept_gradients {
  float* of[gradients];            ///< [compared rows][64]
  float* scale[gradients];         ///< [compared rows]: what a row's errors are divided by
  std::uint16_t* seen[gradients];  ///< bf16, as `of`
};
plain_kept_gradients cut_kept_reference(const checked_problem&, std::size_t* bytes = nullptr);

}  // namespace ablate::gated_attention_backward
