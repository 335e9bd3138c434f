// The gradient of a batch norm in training: with g' the gradient of y through the activation and x̂ = (x −
// mean) / deviation, per channel over n real rows
//   dγ = Σ g' · x̂,  dβ = Σ g',  dx = γ / deviation · (g' − dβ / n − x̂ · dγ / n).
// Two launches, as forward: sums of every group of rows; then each block adds the groups' in their order and
// writes dx.
#include "kernels/row_norm/batch_rows.cuh"

namespace ablate::row_norm {

struct batch_gradient_view {
  const std::uint16_t *in, *gradient;
  const float *gamma, *beta, *mean, *variance;
  std::uint16_t* input_gradient;
  float *parameter_gradients, *partial;  ///< partial: [groups][2][channels]
  long long rows, valid, rows_of_group, valid_of_group;
  int channels, slab, groups;
  activation act;
};

/// What a thread knows of its eight channels.
struct channel_parameters {
  float mean[chunk], inverse[chunk], gamma[chunk], beta[chunk];

  __device__ channel_parameters(const batch_gradient_view& v, int channel) {
    load_parameters(mean, v.mean + channel);
    load_parameters(inverse, v.variance + channel);
    load_parameters(gamma, v.gamma + channel);
    load_parameters(beta, v.beta + channel);
#pragma unroll
    for (int i = 0; i < chunk; ++i) inverse[i] = 1 / sqrtf(inverse[i] + batch_epsilon);
  }
  /// In place: x becomes x̂, g the gradient through the activation.
  __device__ void apply(activation act, float (&x)[chunk], float (&g)[chunk]) const {
#pragma unroll
    for (int i = 0; i < chunk; ++i) {
      x[i] = (x[i] - mean[i]) * inverse[i];
      g[i] *= activation_slope(act, fmaf(x[i], gamma[i], beta[i]));
    }
  }
};

__global__ __launch_bounds__(threads_of_block) void gradient_sums_of_groups(batch_gradient_view v) {
  __shared__ float parts[2][threads_of_block][chunk + 1];
  const batch_place at(v.slab);
  const channel_parameters channels(v, at.channel);
  const long long first = blockIdx.y * v.valid_of_group, end = min(first + v.valid_of_group, v.valid);
  float sums[2][chunk] = {};
  for (long long row = first + at.row; row < end; row += at.side_by_side) {
    float x[chunk], g[chunk];
    const long long place = (row * v.channels + at.channel) / chunk;
    unpack(x, load_chunk(v.in, place));
    unpack(g, load_chunk(v.gradient, place));
    channels.apply(v.act, x, g);
#pragma unroll
    for (int i = 0; i < chunk; ++i) {
      sums[0][i] = fmaf(g[i], x[i], sums[0][i]);
      sums[1][i] += g[i];
    }
  }
#pragma unroll
  for (int i = 0; i < chunk; ++i) {
    parts[0][threadIdx.x][i] = sums[0][i];
    parts[1][threadIdx.x][i] = sums[1][i];
  }
  __syncthreads();
  const int channel = static_cast<int>(threadIdx.x);
  if (channel >= v.slab) return;
  for (int which = 0; which < 2; ++which) {
    float sum = 0;
    for (int row = 0; row < at.side_by_side; ++row)
      sum += parts[which][row * at.lanes + channel / chunk][channel % chunk];
    v.partial[(blockIdx.y * 2ll + which) * v.channels + blockIdx.x * v.slab + channel] = sum;
  }
}

__global__ __launch_bounds__(threads_of_block) void gradients_of_batch(batch_gradient_view v) {
  __shared__ float sums[2][max_slab];
  const int channel = static_cast<int>(threadIdx.x) % max_slab,
            which = static_cast<int>(threadIdx.x) / max_slab;
  if (which < 2 && channel < v.slab) {
    const int in_tensor = static_cast<int>(blockIdx.x) * v.slab + channel;
    float sum = 0;
    for (int group = 0; group < v.groups; ++group)
      sum += v.partial[(group * 2ll + which) * v.channels + in_tensor];
    sums[which][channel] = sum / static_cast<float>(v.valid);
    if (blockIdx.y == 0) v.parameter_gradients[which * v.channels + in_tensor] = sum;
  }
  __syncthreads();
  const batch_place at(v.slab);
  const channel_parameters channels(v, at.channel);
  const long long first = blockIdx.y * v.rows_of_group, end = min(first + v.rows_of_group, v.rows);
  for (long long row = first + at.row; row < end; row += at.side_by_side) {
    const long long place = (row * v.channels + at.channel) / chunk;
    if (row >= v.valid) {
      store_chunk(v.input_gradient, place, uint4{});
      continue;
    }
    float x[chunk], g[chunk];
    unpack(x, load_chunk(v.in, place));
    unpack(g, load_chunk(v.gradient, place));
    channels.apply(v.act, x, g);
#pragma unroll
    for (int i = 0; i < chunk; ++i)
      g[i] = channels.gamma[i] * channels.inverse[i] *
             (g[i] - sums[1][at.in_slab + i] - x[i] * sums[0][at.in_slab + i]);
    store_chunk(v.input_gradient, place, pack(g));
  }
}

void batch_backward(launcher& to, const problem& p) {
  const batch_grid of_rows(to, p, p.rows), of_valid(to, p, p.valid);
  const batch_gradient_view v = {p.in,
                                 p.gradient,
                                 p.gamma,
                                 p.beta,
                                 p.mean,
                                 p.variance,
                                 p.input_gradient,
                                 p.parameter_gradients,
                                 p.partial,
                                 p.rows,
                                 p.valid,
                                 of_rows.rows_of_group,
                                 of_valid.rows_of_group,
                                 p.channels,
                                 of_rows.slab,
                                 of_valid.groups,
                                 p.act};
  launch(to, gradient_sums_of_groups, of_valid.blocks(p), dim3(threads_of_block), 0, v);
  launch(to, gradients_of_batch, of_rows.blocks(p), dim3(threads_of_block), 0, v);
}

}  // namespace ablate::row_norm
