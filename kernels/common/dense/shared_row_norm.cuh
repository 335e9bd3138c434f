// Layer norm (eps 1e-5) of a row that eight neighboring lanes share: each has a chunk of every 64 channels.
#pragma once

#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/lane_sums.cuh"

namespace ablate {

/// The parameters of this lane's channels, of 64 · Panels.
template <int Panels>
__device__ inline void load_shared_parameters(float (&x)[Panels][chunk], const float* from) {
#pragma unroll
  for (int panel = 0; panel < Panels; ++panel)
    load_parameters(x[panel], from + 64 * panel + threadIdx.x % 8 * chunk);
}

/// By all lanes of the warp, four rows at once.
template <int Panels>
__device__ inline void normalize_shared_row(float (&x)[Panels][chunk], const float (&gamma)[Panels][chunk],
                                            const float (&beta)[Panels][chunk]) {
  constexpr float channels = 64 * Panels;
  float sum = 0, squares = 0;
#pragma unroll
  for (int panel = 0; panel < Panels; ++panel)
#pragma unroll
    for (int k = 0; k < chunk; ++k) sum += x[panel][k];
  const float mean = sum_of_lanes<8>(sum) / channels;
#pragma unroll
  for (int panel = 0; panel < Panels; ++panel)
#pragma unroll
    for (int k = 0; k < chunk; ++k) {
      x[panel][k] -= mean;
      squares = fmaf(x[panel][k], x[panel][k], squares);
    }
  const float inverse = rsqrtf(sum_of_lanes<8>(squares) / channels + 1e-5f);
#pragma unroll
  for (int panel = 0; panel < Panels; ++panel)
#pragma unroll
    for (int k = 0; k < chunk; ++k)
      x[panel][k] = fmaf(x[panel][k] * inverse, gamma[panel][k], beta[panel][k]);
}

}  // namespace ablate
