// Attention of a warp's 16 queries to 16 keys in shared memory, by mma.sync.
#pragma once

#include "kernels/common/mma.cuh"
#include "kernels/selection_attention/softmax_rows.cuh"
#include "kernels/selection_attention/view.cuh"

namespace ablate::selection_attention {

using rows_of_tile = mma::swizzled_rows<width>;

/// Scores, their probabilities, and outputs. `keys`: shared address of the tile's keys, followed by its
/// values.
template <softmax_form Form>
__device__ __forceinline__ void attend_to_tile(softmax_rows<Form>& rows,
                                               const unsigned (&query)[width / 16][4], unsigned keys,
                                               float scale_log2) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned key = keys + rows_of_tile::place_by_columns(lane);
  const unsigned value = keys + tile_bytes + rows_of_tile::place_by_rows(lane);
  float s[2][4];
#pragma unroll
  for (int step = 0; step < width / 16; ++step) {
    unsigned b[4];
    mma::load_matrices(b, rows_of_tile::moved(key, step));
#pragma unroll
    for (int n = 0; n < 2; ++n)
      if (step == 0)
        mma::multiply(s[n], query[step], b[2 * n], b[2 * n + 1]);
      else
        mma::multiply_add(s[n], query[step], b[2 * n], b[2 * n + 1]);
  }
  unsigned p[4];
  rows.weigh(s, scale_log2, p);
#pragma unroll
  for (int step = 0; step < width / 16; ++step) {
    unsigned b[4];
    mma::load_matrices_transposed(b, rows_of_tile::moved(value, step));
#pragma unroll
    for (int n = 0; n < 2; ++n) mma::multiply_add(rows.out[2 * step + n], p, b[2 * n], b[2 * n + 1]);
  }
}

}  // namespace ablate::selection_attention
