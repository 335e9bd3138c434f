// The gradient of a layer norm: with ĝ = g · γ and x̂ = (x − mean) / deviation, over each row
//   dx = (ĝ − mean(ĝ) − x̂ · mean(ĝ · x̂)) / deviation + what arrives on the residual's path,
// and over all rows dγ = Σ g · x̂, dβ = Σ g. Statistics are computed again from x, which costs no memory
// traffic, since x is read anyway. Each lane keeps its channels' part of dγ and dβ in registers over all its
// rows; a block adds its parts in shared memory and writes them once; a second launch adds those of the
// blocks, in their order: the same bits every run.
#include "kernels/common/min_max.h"
#include "kernels/row_norm/layer_rows.cuh"
#include "kernels/row_norm/parts.h"

namespace ablate::row_norm {

struct layer_gradient_view {
  const std::uint16_t *in, *gradient, *sum_gradient;  ///< sum_gradient: null for kind::layer
  const float* gamma;
  std::uint16_t *input_gradient, *branch_gradient;  ///< branch_gradient: null unless rows are dropped
  float* partial;                                   ///< [blocks][2][channels]
  long long rows, valid;
  std::uint64_t seed;
  float drop;
};

template <int Channels>
__global__ __launch_bounds__(threads_of_block) void gradients_of_layers(layer_gradient_view v) {
  using layout = row_layout<Channels>;
  constexpr int held = layout::chunks * chunk;  // channels of a lane
  __shared__ float parts[threads_of_block * held];
  float gamma[layout::chunks][chunk], gamma_gradient[layout::chunks][chunk] = {},
                                      beta_gradient[layout::chunks][chunk] = {};
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) load_parameters(gamma[c], v.gamma + layout::chunk_of(c) * chunk);
  // A block's rows go on together, since the lanes of a warp exchange sums.
  for (long long block_row = static_cast<long long>(blockIdx.x) * layout::rows_of_block; block_row < v.rows;
       block_row += static_cast<long long>(gridDim.x) * layout::rows_of_block) {
    const long long row = block_row + layout::row();
    const bool is_real = row < v.valid;
    float x[layout::chunks][chunk], g[layout::chunks][chunk];
    uint4 on_path[layout::chunks];
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c) {
      const long long at = row * layout::chunks_of_row + layout::chunk_of(c);
      unpack(x[c], is_real ? load_chunk(v.in, at) : uint4{});
      unpack(g[c], is_real ? load_chunk(v.gradient, at) : uint4{});
      on_path[c] = is_real && v.sum_gradient != nullptr ? load_chunk(v.sum_gradient, at) : uint4{};
    }
    const float2 m = moments_of<Channels>(x);
    float gradient_sum = 0, product_sum = 0;
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c)
#pragma unroll
      for (int i = 0; i < chunk; ++i) {
        x[c][i] = (x[c][i] - m.x) * m.y;
        gamma_gradient[c][i] = fmaf(g[c][i], x[c][i], gamma_gradient[c][i]);
        beta_gradient[c][i] += g[c][i];
        g[c][i] *= gamma[c][i];
        gradient_sum += g[c][i];
        product_sum = fmaf(g[c][i], x[c][i], product_sum);
      }
    gradient_sum = sum_of_lanes<layout::lanes>(gradient_sum) * (1.0f / Channels);
    product_sum = sum_of_lanes<layout::lanes>(product_sum) * (1.0f / Channels);
    const float scale = branch_scale(v.seed, v.drop, row);
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c) {
      const long long at = row * layout::chunks_of_row + layout::chunk_of(c);
      float path[chunk], branch[chunk];
      unpack(path, on_path[c]);
#pragma unroll
      for (int i = 0; i < chunk; ++i) {
        g[c][i] = fmaf(m.y, g[c][i] - gradient_sum - x[c][i] * product_sum, path[i]);
        branch[i] = g[c][i] * scale;
      }
      if (row >= v.rows) continue;
      store_chunk(v.input_gradient, at, is_real ? pack(g[c]) : uint4{});
      if (v.branch_gradient != nullptr) store_chunk(v.branch_gradient, at, is_real ? pack(branch) : uint4{});
    }
  }
  for (int which = 0; which < 2; ++which) {
    __syncthreads();
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c)
#pragma unroll
      for (int i = 0; i < chunk; ++i)
        parts[layout::row() * Channels + layout::chunk_of(c) * chunk + i] =
            which == 0 ? gamma_gradient[c][i] : beta_gradient[c][i];
    __syncthreads();
    for (int channel = static_cast<int>(threadIdx.x); channel < Channels; channel += threads_of_block) {
      float sum = 0;
      for (int row = 0; row < layout::rows_of_block; ++row) sum += parts[row * Channels + channel];
      v.partial[(blockIdx.x * 2ll + which) * Channels + channel] = sum;
    }
  }
}

void layer_backward(launcher& to, const problem& p) { layer_backward(to, to, p); }

void layer_backward(launcher& to, launcher& sums, const problem& p) {
  const bool adds = p.kind == kind::residual_layer;
  const layer_gradient_view v = {p.in,
                                 p.gradient,
                                 adds ? p.sum_gradient : nullptr,
                                 p.gamma,
                                 p.input_gradient,
                                 adds && p.drop > 0 ? p.branch_gradient : nullptr,
                                 p.partial,
                                 p.rows,
                                 p.valid,
                                 p.seed,
                                 p.drop};
  with_channels(p.channels, [&](auto channels) {
    const unsigned most = static_cast<unsigned>(std::min(4 * to.device().multiprocessors, max_partials));
    const unsigned blocks = std::min(blocks_for(p.rows, row_layout<channels>::rows_of_block), most);
    launch(to, gradients_of_layers<channels>, dim3(blocks), dim3(threads_of_block), 0, v);
    if (&sums != &to) sums.wait_for(to);
    sum_partials(sums, p.partial, static_cast<int>(blocks), 2 * p.channels, p.parameter_gradients);
  });
}

}  // namespace ablate::row_norm
