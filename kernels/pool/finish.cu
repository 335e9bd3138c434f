// Batch norm by running statistics and GELU, in a pass of its own over the pooled rows: 16 bytes read and
// written a lane. Padding stays zero.
#include "kernels/pool/phases.h"
#include "kernels/pool/row_view.cuh"

namespace ablate::pool {

__global__ __launch_bounds__(row_threads) void norm_and_activate(const __grid_constant__ row_view v) {
  const unsigned lanes = v.channels / vector_channels;
  const unsigned lane = threadIdx.x % lanes, rows = v.rows();
  const unsigned row = blockIdx.x * (blockDim.x / lanes) + threadIdx.x / lanes;
  if (row >= rows + v.known_padding) return;
  uint4 result = make_uint4(0, 0, 0, 0);
  if (row < rows) {
    const uint4 stored = *vector_of(v.pooled, row, v.channels, lane);
    float x[vector_channels];
#pragma unroll
    for (int i = 0; i < vector_channels; ++i) {
      const channel_norm norm(v.norm, v.channels, static_cast<int>(vector_channels * lane) + i);
      x[i] = norm.finished(channel_of(stored, i));
    }
    result = rounded(x);
  }
  *vector_of(v.finished, row, v.channels, lane) = result;
}

void finish_rows(launcher& to, const problem& p) {
  const int lanes = p.channels / vector_channels, rows_at_once = row_threads / lanes;
  launch(to, norm_and_activate, dim3(blocks_for(p.capacity(), rows_at_once)), dim3(rows_at_once * lanes), 0,
         row_view(p));
}

}  // namespace ablate::pool
