#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/window_attention/launches.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// The problem as passed to kernels.
struct view {
  const __nv_bfloat16 *q, *k, *v;
  __nv_bfloat16* out;
  float* lse;
  const std::uint32_t* scope;  ///< null: windows are consecutive
  const std::int32_t* index;   ///< rows by token; null unless rows are scattered
  long long qkv_stride;        ///< elements from a row to the next, in q, k and v
  long long tokens, windows, query_tiles;
  int batches, heads, width, window, bucket, buckets_per_window;
  const float* key_norms;  ///< [batches][heads][tokens / 128]: the greatest squared norm of 128 keys
  unsigned* again;         ///< query tiles to redo (redo_list.cuh)
  float scale_log2;        ///< log2(e) / √width: for powers of 2 instead of e

  view(const problem& p, int query_rows);

  /// Offset of a head's elements in a row of q, k and v.
  __device__ long long qkv_place(long long batch, long long row, int head) const {
    return (batch * tokens + row) * qkv_stride + head * width;
  }
  /// Row of token t of a window, within each batch; not for scattered rows, where token t is in row index[w ·
  /// window + t].
  __device__ int row_of(long long w, int t) const {
    if (scope == nullptr) return static_cast<int>(w) * window + t;
    return static_cast<int>(scope[w * buckets_per_window + t / bucket]) * bucket + t % bucket;
  }
};

}  // namespace ablate::window_attention
