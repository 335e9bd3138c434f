// Gradients of a backbone's steps between blocks.
//   restore: rows[row] = dOut[point of the row], padding 0: gathers whole rows, 16 bytes a thread.
//   embed: dW[c][axis] = Σ dY[row][c] · coordinate[row][axis] over real rows, db[c] = Σ dY[row][c] over all,
//   padding too, which is at the origin. One thread per channel and some rows, one block per part of the
//   rows; a second launch adds the parts in order, so the bits are reproducible.
//   batch norm: row_norm's; the statistics contain 1 / √(variance + ε), its input is the variance.
// Pooling's and unpooling's are kernels/pool's; for a maximum they search for the winners. Should move: DRAM
// throughput, to that of a copy.
#include <cuda_fp16.h>

#include "kernels/common/bf16.h"
#include "kernels/common/dense/row_chunk.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/network/parts.h"
#include "kernels/pool/phases.h"
#include "kernels/ptv3/parts.h"
#include "kernels/training/gradient_parts.h"
#include "kernels/training/gradient_run.h"

namespace ablate::backbone {

constexpr int gradient_threads = 256;

__global__ __launch_bounds__(gradient_threads) void gather_gradients(const std::uint16_t* of_points,
                                                                     const std::uint32_t* source,
                                                                     std::uint16_t* of_rows, long long real,
                                                                     long long chunks, int chunks_of_row) {
  const long long at = blockIdx.x * static_cast<long long>(gradient_threads) + threadIdx.x;
  if (at >= chunks) return;
  const long long row = at / chunks_of_row;
  const uint4 zero{};
  store_chunk(of_rows, at,
              row < real ? load_chunk(of_points, static_cast<long long>(source[row]) * chunks_of_row +
                                                     at % chunks_of_row)
                         : zero);
}

struct embed_gradient_view {
  const std::uint16_t* gradient;  ///< [rows][channels]
  const __half* coordinates;      ///< [real][3]
  float* partial;                 ///< [parts][4][channels]
  long long real, rows, rows_of_part;
  int channels;  ///< a divisor of gradient_threads
};

__global__ __launch_bounds__(gradient_threads) void sum_embedded(embed_gradient_view v) {
  __shared__ float sums[4][gradient_threads];
  const int channel = static_cast<int>(threadIdx.x) % v.channels,
            lane = static_cast<int>(threadIdx.x) / v.channels, side_by_side = gradient_threads / v.channels;
  const long long first = blockIdx.x * v.rows_of_part, end = min(first + v.rows_of_part, v.rows);
  float own[4] = {};
  for (long long row = first + lane; row < end; row += side_by_side) {
    const float g = float_of_bf16(v.gradient[row * v.channels + channel]);
    own[3] += g;
    if (row >= v.real) continue;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
      own[axis] = fmaf(g, __half2float(v.coordinates[3 * row + axis]), own[axis]);
  }
#pragma unroll
  for (int which = 0; which < 4; ++which) sums[which][threadIdx.x] = own[which];
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 4 * v.channels; i += gradient_threads) {
    float sum = 0;
    for (int other = 0; other < side_by_side; ++other)
      sum += sums[i / v.channels][other * v.channels + i % v.channels];
    v.partial[blockIdx.x * 4ll * v.channels + i] = sum;
  }
}

__global__ __launch_bounds__(gradient_threads) void add_embedded(const float* partial, int parts,
                                                                 int channels, float* matrix, float* bias) {
  for (int i = static_cast<int>(threadIdx.x); i < 4 * channels; i += gradient_threads) {
    float sum = 0;
    for (int part = 0; part < parts; ++part) sum += partial[part * 4ll * channels + i];
    const int which = i / channels, channel = i % channels;
    (which == 3 ? bias[channel] : matrix[3 * channel + which]) = sum;
  }
}

__global__ void find_variances(const float* statistics, int channels, float* variance) {
  const int channel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (channel >= channels) return;
  const float inverse = statistics[channels + channel];
  variance[channel] = fmaxf(1 / (inverse * inverse) - row_norm::batch_epsilon, 0.0f);
}

namespace {

void run_restore_gradient(launcher& to, const problem& p, const network& n, const step& s) {
  const level& of = n.levels.front();
  const int chunks_of_row = s.channels / chunk;
  const long long chunks = of.rows * chunks_of_row;
  launch(to, gather_gradients, dim3(blocks_for(chunks, gradient_threads)), dim3(gradient_threads), 0,
         static_cast<const std::uint16_t*>(rows_at(p, n, s.in)), source_of(p, n), rows_at(p, n, s.out),
         static_cast<long long>(of.real), chunks, chunks_of_row);
}

void run_embed_gradient(launcher& to, const problem& p, const network& n, const step& s) {
  const level& of = n.levels.front();
  embed_gradient_view v{};
  v.gradient = rows_at(p, n, s.in);
  v.coordinates = reinterpret_cast<const __half*>(coordinates_of(p, n, 0));
  v.partial = reinterpret_cast<float*>(scratch_at(p, n, s));
  v.real = of.real;
  v.rows = of.rows;
  v.rows_of_part = (of.rows + embed_gradient_parts - 1) / embed_gradient_parts;
  v.channels = s.channels;
  launch(to, sum_embedded, dim3(embed_gradient_parts), dim3(gradient_threads), 0, v);
  launch(to, add_embedded, dim3(1), dim3(gradient_threads), 0, static_cast<const float*>(v.partial),
         embed_gradient_parts, s.channels, matrix_gradient_at(p, n, s.layer),
         vector_gradient_at(p, n, s.layer));
}

void run_batch_gradient(launcher& to, const row_norm::problem& norm) {
  launch(to, find_variances, dim3(blocks_for(norm.channels, gradient_threads)), dim3(gradient_threads), 0,
         norm.mean, norm.channels, const_cast<float*>(norm.variance));
  row_norm::normalize(to, norm);
}

void run_pool_gradient(launcher& to, const pool::problem& pooling, const level& of) {
  pool::reduce_backward_by_vectors(to, pooling, pooling.selects());
  fill_padding(to, pooling.feature_gradient, of, pooling.channels);
}

void run_unpool_gradient(launcher& to, const pool::problem& pooling, const level& next) {
  pool::unpool_backward_by_vectors(to, pooling);
  if (pooling.is_grid()) fill_padding(to, pooling.down_gradient, next, pooling.channels);
}

}  // namespace

void run_rows_gradient(launcher& to, const problem& p, const network& n, const step& s) {
  switch (s.kind) {
    case step_kind::restore_gradient:
      return run_restore_gradient(to, p, n, s);
    case step_kind::embed_gradient:
      return run_embed_gradient(to, p, n, s);
    case step_kind::batch_gradient:
      return run_batch_gradient(to, batch_gradient_of(p, n, s));
    case step_kind::pool_gradient:
      return run_pool_gradient(to, pooling_of(p, n, s), n.level_at(s.level));
    default:
      return run_unpool_gradient(to, pooling_of(p, n, s), n.level_at(s.level + 1));
  }
}

}  // namespace ablate::backbone
