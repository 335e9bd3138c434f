// Windows in which some tokens are no keys, as kernels see them (partial_windows.h).
#pragma once

#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

struct partial_view : view {
  long long valid;  ///< rows from here on are padding

  partial_view(const problem& p, int query_rows, std::int64_t valid_rows)
      : view(p, query_rows), valid(valid_rows) {
    windows = (p.tokens + p.window - 1) / p.window;
    query_tiles = batches * windows * heads * ((p.window + query_rows - 1) / query_rows);
  }

  /// Of a window: its size, or what is left for the last one; a multiple of 128.
  __device__ int rows_of_window(long long w) const {
    return static_cast<int>(min(static_cast<long long>(window), tokens - w * window));
  }
};

}  // namespace ablate::window_attention
