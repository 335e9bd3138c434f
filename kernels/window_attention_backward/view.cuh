#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/window_attention_backward/window_attention_backward.h"

namespace ablate::window_attention_backward {

/// What P and dS need of a row: 2^(scale_log2 · s − lse_log2) and P · (dP − delta).
struct row_statistics {
  float lse_log2;  ///< log-sum-exp · log2(e)
  float delta;     ///< row sum of dO∘O
};

/// Which rows a thread block keeps and computes gradients of: queries (dQ) or keys (dK and dV). The other
/// side's rows stream past.
enum class side { queries, keys };

/// One block of neighboring tokens of a window, of one head.
struct row_block {
  int batch, head;
  long long window;
  int first_token;
};

/// The problem as passed to a kernel.
struct view {
  const __nv_bfloat16 *q, *k, *v, *out, *out_gradient;
  const float* lse;
  __nv_bfloat16 *q_gradient, *k_gradient, *v_gradient;
  row_statistics* statistics;  ///< [batches][heads][tokens], in scratch
  float* q_gradient_sums;      ///< in scratch
  float* q_gradient_parts;     ///< in scratch, for short windows (scratch_memory)
  unsigned* arrivals;          ///< kept_memory; null unless q_gradient_sums are kept
  const std::uint32_t* scope;  ///< null: windows are consecutive
  const std::int32_t* index;   ///< rows by token; null unless rows are scattered
  long long tokens, windows;
  int batches, heads, width, window, bucket, buckets_per_window;
  float scale;       ///< 1 / √width
  float scale_log2;  ///< log2(e) / √width: for powers of 2 instead of e

  explicit view(const problem& p);

  /// Row of token t of a window, within each batch; not for scattered rows, where token t is in row index[w ·
  /// window + t].
  __device__ int row_of(long long w, int t) const {
    if (scope == nullptr) return static_cast<int>(w) * window + t;
    return static_cast<int>(scope[w * buckets_per_window + t / bucket]) * bucket + t % bucket;
  }
  /// Offset of the first element of a head's row in the full tensors.
  __device__ long long place(int batch, long long row, int head) const {
    return ((batch * tokens + row) * heads + head) * width;
  }
  /// Offset in [batches][heads][tokens].
  __device__ long long place_of_row(int batch, long long row, int head) const {
    return (static_cast<long long>(batch) * heads + head) * tokens + row;
  }
  /// Blocks of `rows` tokens: those of the same window and head are adjacent, so the data they share comes
  /// from L2.
  __device__ row_block block_of(long long index, int rows) const {
    const int blocks = (window + rows - 1) / rows;
    row_block b;
    b.first_token = static_cast<int>(index % blocks) * rows;
    index /= blocks;
    b.head = static_cast<int>(index % heads);
    index /= heads;
    b.window = index % windows;
    b.batch = static_cast<int>(index / windows);
    return b;
  }
  unsigned blocks(int rows) const {
    return static_cast<unsigned>(batches * windows * heads * ((window + rows - 1) / rows));
  }
};

/// With q_gradient_sums that persist from launch to launch (kept_memory), not those in scratch.
view view_of_kept_sums(const problem&);

/// Layout of view::statistics: in row order; or, per 16 rows, the log-sum-exps, then their Δ, each in the
/// order in which the four lanes of a quad need those of an MMA's columns: 0, 1, 8, 9, then 2, 3, 10, 11 …
enum class statistics_order { rows, quads };

/// Fills view::statistics: the part of every variant that computes neither dQ nor dK and dV.
void compute_row_statistics(launcher&, const problem&, statistics_order = statistics_order::rows);

/// Zeroes view::q_gradient_sums.
void clear_query_gradient_sums(launcher&, const problem&);

}  // namespace ablate::window_attention_backward
