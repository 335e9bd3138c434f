#pragma once

#include <cstdint>

#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::compression_attention_backward {

/// The gradients of attention among pooled rows (docs/operations/compression_attention_backward.md): those of
/// compression_attention alone, since no gradient passes through the choice of blocks. With c = 1 / √64,
/// P = exp(c·Q·Kᵀ − lse), Δ = row sums of dO∘O and dS = P∘(dO·Vᵀ − Δ), per head
///   dV = Pᵀ·dO, dQ = c·dS·K, dK = c·dSᵀ·Q.
/// That is a dense backward pass over all pooled rows, and the kernels of window_attention_backward compute
/// it: a head is a batch of its own, with one window of all rows. Their windows are whole tiles of 128 rows.
/// So the rows of a head are in whole tiles, too, and past the last one are zeros in Q, K, V and dO.
/// Nothing needs a mask then:
/// - A key of zeros has score 0 and dP 0, hence dS = −P·Δ, with P = exp(−lse); what it adds to dQ is dS·0.
/// - A query of zeros adds P·0 to dV, and dS·0 to dK.
/// For P to be finite, lse has to be above −80 in each row: true of normalized rows, whose scaled scores are
/// within ±8 times their norms' weights. What kernels leave in the gradients past the last row, for keys of
/// zeros, means nothing; rows of dQ there are zeros. O and lse past the last row are what attention of a
/// query of zeros gives.
///
/// Sums in fp32, inputs and outputs in bf16.

constexpr int width = 64;  ///< elements of a head
constexpr int rows_of_tile = 128;
constexpr std::int64_t max_rows = 1 << 16;

struct problem {
  /// Heads as batches: q, k, v, dO, O and the gradients are [heads][padded rows][64], lse [heads][padded
  /// rows].
  window_attention_backward::problem gradients;
  std::int64_t rows = 0;  ///< of a head: pooled blocks, at most max_rows
};

constexpr std::int64_t padded_rows(std::int64_t rows) {
  return (rows + rows_of_tile - 1) / rows_of_tile * rows_of_tile;
}

/// Sizes; pointers still null.
problem problem_of_rows(std::int64_t rows, std::int64_t heads);

}  // namespace ablate::compression_attention_backward
