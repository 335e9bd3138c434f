// y = act((x − mean_c) / √(variance_c + ε) · γ_c + β_c), statistics of channel c.
// Training: a first launch takes mean and variance of every group of rows in one pass (Welford's update, one
// division a row for eight channels); the second merges the groups in their order, in each of its blocks, and
// applies norm and activation: two launches, the same bits every run. Inference: the second launch alone,
// with the running statistics. Should move: DRAM bytes, down to two reads and a write (the second read from
// L2 where x fits); launches.
#include "kernels/row_norm/batch_rows.cuh"

namespace ablate::row_norm {

struct batch_view {
  const std::uint16_t* in;
  const float *gamma, *beta, *mean, *variance;
  std::uint16_t* out;
  float *statistics, *partial;  ///< partial: [groups][2][channels]: mean, sum of squared differences
  long long rows, valid, rows_of_group, valid_of_group;
  int channels, slab, groups;
  activation act;
};

__global__ __launch_bounds__(threads_of_block) void statistics_of_groups(batch_view v) {
  __shared__ float mean[threads_of_block][chunk + 1], squares[threads_of_block][chunk + 1];
  const batch_place at(v.slab);
  const long long first = blockIdx.y * v.valid_of_group, end = min(first + v.valid_of_group, v.valid);
  float means[chunk] = {}, differences[chunk] = {}, count = 0;
  for (long long row = first + at.row; row < end; row += at.side_by_side) {
    float x[chunk];
    unpack(x, load_chunk(v.in, (row * v.channels + at.channel) / chunk));
    count += 1;
    const float share = 1 / count;
#pragma unroll
    for (int i = 0; i < chunk; ++i) {
      const float apart = x[i] - means[i];
      means[i] = fmaf(apart, share, means[i]);
      differences[i] = fmaf(apart, x[i] - means[i], differences[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < chunk; ++i) {
    mean[threadIdx.x][i] = means[i];
    squares[threadIdx.x][i] = differences[i];
  }
  __syncthreads();
  // A thread a channel: the rows side by side, in order. How many each had follows from the group's size.
  const int channel = static_cast<int>(threadIdx.x);
  if (channel >= v.slab) return;
  running_moments all{};
  for (int row = 0; row < at.side_by_side; ++row) {
    const long long had = end - first - row;
    const int thread = row * at.lanes + channel / chunk;
    all.add({static_cast<float>(had <= 0 ? 0 : (had + at.side_by_side - 1) / at.side_by_side),
             mean[thread][channel % chunk], squares[thread][channel % chunk]});
  }
  float* const to = v.partial + blockIdx.y * 2ll * v.channels + blockIdx.x * v.slab + channel;
  to[0] = all.mean;
  to[v.channels] = all.squares;
}

/// Merged over the groups, in their order: four threads a channel, a quarter each.
__device__ running_moments merged(const batch_view& v, int channel, int quarter) {
  running_moments all{};
  for (int group = quarter * v.groups / 4; group < (quarter + 1) * v.groups / 4; ++group) {
    const float* const from = v.partial + group * 2ll * v.channels + channel;
    const long long first = group * v.valid_of_group;
    all.add({static_cast<float>(max(min(first + v.valid_of_group, v.valid) - first, 0ll)), from[0],
             from[v.channels]});
  }
  return all;
}

template <kind Kind>
__global__ __launch_bounds__(threads_of_block) void normalize_batch(batch_view v) {
  constexpr bool is_training = Kind == kind::batch_training;
  __shared__ float scale[max_slab], shift[max_slab];
  __shared__ running_moments quarters[4][max_slab];
  const int channel = static_cast<int>(threadIdx.x) % max_slab;
  const int in_tensor = static_cast<int>(blockIdx.x) * v.slab + channel;
  if constexpr (is_training) {
    if (channel < v.slab)
      quarters[threadIdx.x / max_slab][channel] =
          merged(v, in_tensor, static_cast<int>(threadIdx.x) / max_slab);
    __syncthreads();
  }
  if (static_cast<int>(threadIdx.x) < v.slab) {
    float mean, variance, unbiased = 0;
    if constexpr (is_training) {
      running_moments all = quarters[0][channel];
      for (int q = 1; q < 4; ++q) all.add(quarters[q][channel]);
      mean = all.mean;
      variance = all.count > 0 ? all.squares / all.count : 0;
      unbiased = all.squares / fmaxf(all.count - 1, 1);
    } else {
      mean = v.mean[in_tensor];
      variance = v.variance[in_tensor];
    }
    const float inverse = 1 / sqrtf(variance + batch_epsilon);
    scale[channel] = inverse * v.gamma[in_tensor];
    shift[channel] = mean;
    if (is_training && blockIdx.y == 0) {
      v.statistics[in_tensor] = mean;
      v.statistics[v.channels + in_tensor] = inverse;
      v.statistics[2 * v.channels + in_tensor] = fmaf(momentum, mean - v.mean[in_tensor], v.mean[in_tensor]);
      v.statistics[3 * v.channels + in_tensor] =
          fmaf(momentum, unbiased - v.variance[in_tensor], v.variance[in_tensor]);
    }
  }
  __syncthreads();
  const batch_place at(v.slab);
  float scales[chunk], means[chunk], beta[chunk];
  load_parameters(beta, v.beta + at.channel);
#pragma unroll
  for (int i = 0; i < chunk; ++i) {
    scales[i] = scale[at.in_slab + i];
    means[i] = shift[at.in_slab + i];
  }
  const long long first = blockIdx.y * v.rows_of_group, end = min(first + v.rows_of_group, v.rows);
  for (long long row = first + at.row; row < end; row += at.side_by_side) {
    const long long place = (row * v.channels + at.channel) / chunk;
    if (row >= v.valid) {
      store_chunk(v.out, place, uint4{});
      continue;
    }
    float x[chunk];
    unpack(x, load_chunk(v.in, place));
#pragma unroll
    for (int i = 0; i < chunk; ++i) x[i] = activated(v.act, fmaf(x[i] - means[i], scales[i], beta[i]));
    store_chunk(v.out, place, pack(x));
  }
}

__global__ __launch_bounds__(threads_of_block) void activate_elements(std::uint16_t* at, long long chunks,
                                                                      activation act) {
  const long long i = blockIdx.x * static_cast<long long>(threads_of_block) + threadIdx.x;
  if (i >= chunks) return;
  float x[chunk];
  unpack(x, load_chunk(at, i));
#pragma unroll
  for (int k = 0; k < chunk; ++k) x[k] = activated(act, x[k]);
  store_chunk(at, i, pack(x));
}

void batch_forward(launcher& to, const problem& p, bool activates) {
  const batch_grid of_rows(to, p, p.rows), of_valid(to, p, p.valid);
  const batch_view v = {p.in,
                        p.gamma,
                        p.beta,
                        p.mean,
                        p.variance,
                        p.out,
                        p.statistics,
                        p.partial,
                        p.rows,
                        p.valid,
                        of_rows.rows_of_group,
                        of_valid.rows_of_group,
                        p.channels,
                        of_rows.slab,
                        of_valid.groups,
                        activates ? p.act : activation::none};
  if (p.kind == kind::batch_training) {
    launch(to, statistics_of_groups, of_valid.blocks(p), dim3(threads_of_block), 0, v);
    launch(to, normalize_batch<kind::batch_training>, of_rows.blocks(p), dim3(threads_of_block), 0, v);
  } else {
    launch(to, normalize_batch<kind::batch_inference>, of_rows.blocks(p), dim3(threads_of_block), 0, v);
  }
  if (activates || p.act == activation::none) return;
  // Padding is 0, and stays it.
  const long long chunks = p.elements() / chunk;
  launch(to, activate_elements, dim3(blocks_for(chunks, threads_of_block)), dim3(threads_of_block), 0, p.out,
         chunks, p.act);
}

}  // namespace ablate::row_norm
