#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/selection_attention/view.cuh"
#include "kernels/selection_attention_backward/selection_attention_backward.h"

namespace ablate::selection_attention_backward {

using selection_attention::row_bytes;
using selection_attention::tile;
using selection_attention::tile_bytes;

constexpr float scale = 0.125f;  ///< 1 / √64

/// What P and dS need of a query: 2^(scale_log2 · s − lse_log2) and P · (dP − delta).
struct row_statistics {
  float lse_log2;  ///< log-sum-exp · log2(e), less log2 γ_s
  float delta;     ///< row sum of dO∘O, which is dγ_s
};

/// The problem as passed to a kernel.
struct view {
  selection_attention::view attention;
  const unsigned char* out_gradient;
  unsigned char *q_gradient, *k_gradient, *v_gradient, *compressed_gradient;
  const unsigned char* pooled_gradients[3];  ///< or null
  float2* gate_gradients;
  bool is_gated;
  row_statistics* statistics;
  const long long* offsets;  ///< of the transposed lists
  const std::int32_t* queries;
  float *query_sums, *key_sums;
  piece_memory pieces;
  row_cut cut;
  float share;           ///< of a pooled row's gradient that each token gets: 1 / tokens of a block
  long long rows;        ///< of the transposed lists: key blocks of all heads
  long long max_pieces;  ///< 0 where no row is cut

  view(const problem&, const row_cut&);

  ABLATE_ON_BOTH long long elements() const { return attention.heads * attention.tokens * width; }
  /// Of this block among those of all heads: the gradient of its mean of Q (0), K or V; null: there is none.
  __device__ const unsigned char* pooled_row(int which, long long block) const {
    return pooled_gradients[which] == nullptr ? nullptr : pooled_gradients[which] + block * row_bytes;
  }
};

/// lse · log2(e) and Δ of all rows; where attention is gated, with the gates in them, and the gradients of
/// gates and compressed rows (statistics.cu).
void compute_statistics(launcher&, const view&);

/// Where dK and dV of a row that is cut are added up (row_pieces.cu).
enum class piece_sums {
  apart,    ///< each piece has a place of its own; added in their order, so the same bits each time
  together  ///< reductions to the place of the row's first piece
};

/// Cuts the rows (row_pieces.cu).
void cut_rows(launcher&, const view&, piece_sums);
/// dK and dV of rows that were cut, from their pieces'.
void join_pieces(launcher&, const view&, piece_sums);

/// dQ by query block; dK and dV by key block; and in one launch each, with what is missing added by
/// reductions (query_rows.cu, key_rows.cu).
void differentiate_queries(launcher&, const view&);
void differentiate_queries_and_add(launcher&, const view&);
void differentiate_keys(launcher&, const view&, piece_sums, bool loads_ahead);
void differentiate_keys_and_add(launcher&, const view&, piece_sums);

/// fp32 sums of all rows, times `factor`, and what tokens get of pooled rows, to bf16 (sums.cu).
/// `which`: dQ, dK or dV.
void round_sums(launcher&, const view&, const float* sums, unsigned char* to, int which, float factor);

}  // namespace ablate::selection_attention_backward
