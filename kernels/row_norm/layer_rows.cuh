// How a layer norm's rows map to lanes: a row of C channels in min(C / 8, 32) neighboring lanes of a warp, 16
// bytes a load, so that a load of a warp covers whole rows and every row is in registers at once.
#pragma once

#include <type_traits>

#include "kernels/common/dense/column_sums.h"
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/lane_sums.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/common/refuse_launch.h"
#include "kernels/common/switches.h"
#include "kernels/row_norm/row_norm.h"

namespace ablate::row_norm {

using namespace dense_layers;

constexpr int threads_of_block = 256;

template <int Channels>
struct row_layout {
  static constexpr int chunks_of_row = Channels / chunk;
  static constexpr int lanes = chunks_of_row < 32 ? chunks_of_row : 32;
  static constexpr int chunks = chunks_of_row / lanes;            ///< of a lane
  static constexpr int rows_of_block = threads_of_block / lanes;  ///< side by side
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % lanes; }
  __device__ static int row() { return static_cast<int>(threadIdx.x) / lanes; }
  /// The lane's chunk i: neighboring lanes hold neighboring chunks.
  __device__ static int chunk_of(int i) { return lane() + i * lanes; }
};

/// Statistics of a row in registers: the mean, then the mean of the squared differences from it.
template <int Channels>
__device__ inline float2 moments_of(const float (&x)[row_layout<Channels>::chunks][chunk]) {
  using layout = row_layout<Channels>;
  float sum = 0;
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c)
#pragma unroll
    for (int i = 0; i < chunk; ++i) sum += x[c][i];
  const float mean = sum_of_lanes<layout::lanes>(sum) * (1.0f / Channels);
  float squares = 0;
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c)
#pragma unroll
    for (int i = 0; i < chunk; ++i) squares = fmaf(x[c][i] - mean, x[c][i] - mean, squares);
  const float variance = sum_of_lanes<layout::lanes>(squares) * (1.0f / Channels);
  return {mean, rsqrtf(variance + layer_epsilon)};
}

/// Calls `form(std::integral_constant<int, channels>{})`, for rows of up to `Most` channels.
template <int Most = max_channels, class Form>
void with_channels(int channels, Form form) {
  switch (channels) {
    case 32:
      return form(std::integral_constant<int, 32>{});
    case 64:
      return form(std::integral_constant<int, 64>{});
    case 128:
      return form(std::integral_constant<int, 128>{});
    case 256:
      return form(std::integral_constant<int, 256>{});
    case 512:
      return form(std::integral_constant<int, 512>{});
    case 1024:
      if constexpr (Most >= 1024) return form(std::integral_constant<int, 1024>{});
      [[fallthrough]];
    default:
      refuse_launch({"row_norm: ", channels, " channels; expected a power of two from 32 to ", Most});
  }
}

/// kind::layer and residual_layer, `rows_in_flight` 1; or 4, of up to max_channels_of_four_rows; or 2, of
/// channels_of_two_rows. Backward.
void layer_forward(launcher&, const problem&, int rows_in_flight);
void layer_backward(launcher&, const problem&);

/// kind::copy.
void copy_rows(launcher&, const problem&, int rows_in_flight);

/// Batch norms; their backward. `activates`: in the same launch as the norm.
void batch_forward(launcher&, const problem&, bool activates);
void batch_backward(launcher&, const problem&);

}  // namespace ablate::row_norm
