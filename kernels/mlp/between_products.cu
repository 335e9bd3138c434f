// Everything between the products of the MLP's gradients, in one launch: dZ and act(Z) from dH and Z, LN(X)
// recomputed from X, and both biases' gradients, db1 = Σ dZ and db2 = Σ dY over the rows. A block takes a
// group of consecutive rows, first those of X and dY, then those of dH and Z; a thread keeps its columns, so
// it sums them in registers, from dZ before it is rounded. A small launch per bias adds the blocks' sums in
// order, so the bits are reproducible. Products then need no epilogue. Should move: launches; the tensor
// pipe's share in the weights' products, which cuBLASLt runs slower with the bias's gradient as epilogue;
// against separate launches for sums, DRAM and L2 bytes, by the second read of dZ and dY.
#include <algorithm>

#include "kernels/common/dense/column_sums.h"
#include "kernels/common/launch.cuh"
#include "kernels/mlp/hidden_gradient.cuh"
#include "kernels/mlp/parts.h"
#include "kernels/row_norm/layer_rows.cuh"

namespace ablate::mlp {

using row_norm::row_layout, row_norm::threads_of_block;

constexpr int blocks_of_multiprocessor = 3;  // that their registers allow: one wave

struct pass_view {
  hidden_view hidden;
  const std::uint16_t *hidden_gradient, *x, *gradient;  ///< dH, X, dY
  const float *gamma, *beta;
  std::uint16_t* normed;
  float *first_partial, *second_partial;  ///< [blocks][columns of Z], [blocks][C]
  long long rows_of_block;
};

/// Writes the sums of columns that threads of several rows side by side hold: `parts` is [side by
/// side][columns]. All threads of the block; whoever filled `parts` need not have synchronized.
__device__ inline void write_sums(const float* parts, int side_by_side, int columns, float* to) {
  __syncthreads();
  for (int column = static_cast<int>(threadIdx.x); column < columns; column += threads_of_block) {
    float sum = 0;
    for (int row = 0; row < side_by_side; ++row) sum += parts[row * columns + column];
    to[column] = sum;
  }
  __syncthreads();
}

/// LN(X) of rows from `first` to before `end`, and their sum of dY.
template <int Channels>
__device__ void normalize_rows(const pass_view& v, long long first, long long end, float* parts) {
  using layout = row_layout<Channels>;
  float gamma[layout::chunks][chunk], beta[layout::chunks][chunk], sums[layout::chunks][chunk] = {};
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c) {
    load_parameters(gamma[c], v.gamma + layout::chunk_of(c) * chunk);
    load_parameters(beta[c], v.beta + layout::chunk_of(c) * chunk);
  }
  // A block's rows go on together, since the lanes of a warp exchange sums.
  for (long long block_row = first; block_row < end; block_row += layout::rows_of_block) {
    const long long row = block_row + layout::row();
    const bool is_there = row < end;
    float x[layout::chunks][chunk];
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c) {
      const long long at = row * layout::chunks_of_row + layout::chunk_of(c);
      float g[chunk];
      unpack(x[c], is_there ? load_chunk(v.x, at) : uint4{});
      unpack(g, is_there ? load_chunk(v.gradient, at) : uint4{});
#pragma unroll
      for (int i = 0; i < chunk; ++i) sums[c][i] += g[i];
    }
    const float2 m = row_norm::moments_of<Channels>(x);
#pragma unroll
    for (int c = 0; c < layout::chunks; ++c) {
#pragma unroll
      for (int i = 0; i < chunk; ++i) x[c][i] = fmaf((x[c][i] - m.x) * m.y, gamma[c][i], beta[c][i]);
      if (is_there) store_chunk(v.normed, row * layout::chunks_of_row + layout::chunk_of(c), pack(x[c]));
    }
  }
#pragma unroll
  for (int c = 0; c < layout::chunks; ++c)
#pragma unroll
    for (int i = 0; i < chunk; ++i)
      parts[layout::row() * Channels + layout::chunk_of(c) * chunk + i] = sums[c][i];
  write_sums(parts, layout::rows_of_block, Channels,
             v.second_partial + static_cast<long long>(blockIdx.x) * Channels);
}

/// dZ and act(Z) of these rows, and their sum of dZ.
template <kind Kind, int Channels>
__device__ void differentiate_rows(const pass_view& v, long long first, long long end, float* parts) {
  constexpr int columns = 4 * Channels, lanes = columns / chunk, side_by_side = threads_of_block / lanes,
                halves = is_gated<Kind> ? 2 : 1;
  static_assert(threads_of_block % lanes == 0 && side_by_side >= 1);
  const int column = static_cast<int>(threadIdx.x) % lanes * chunk,
            row_of_block = static_cast<int>(threadIdx.x) / lanes;
  float sums[halves][chunk] = {};
  for (long long row = first + row_of_block; row < end; row += side_by_side) {
    float gradient[chunk], other[chunk];
    unpack(gradient, load_chunk(v.hidden_gradient, (row * columns + column) / chunk));
    differentiate_columns<Kind>(v.hidden, row, column, gradient, other);
#pragma unroll
    for (int i = 0; i < chunk; ++i) {
      sums[0][i] += gradient[i];
      if constexpr (is_gated<Kind>) sums[1][i] += other[i];
    }
  }
#pragma unroll
  for (int half = 0; half < halves; ++half) {
#pragma unroll
    for (int i = 0; i < chunk; ++i) parts[row_of_block * columns + column + i] = sums[half][i];
    write_sums(parts, side_by_side, columns,
               v.first_partial + (static_cast<long long>(blockIdx.x) * halves + half) * columns);
  }
}

template <kind Kind, int Channels>
__global__ __launch_bounds__(threads_of_block,
                             blocks_of_multiprocessor) void rows_between_products(pass_view v) {
  __shared__ float parts[threads_of_block * chunk * row_layout<Channels>::chunks];
  const long long first = blockIdx.x * v.rows_of_block, end = min(first + v.rows_of_block, v.hidden.rows);
  normalize_rows<Channels>(v, first, end, parts);
  differentiate_rows<Kind, Channels>(v, first, end, parts);
}

void pass_between_products(launcher& to, const problem& p) {
  constexpr std::int64_t least_rows = 32;  // of a block: fewer are not worth their sums
  const std::int64_t most = std::min(blocks_of_multiprocessor * to.device().multiprocessors, max_pass_blocks),
                     blocks = std::clamp<std::int64_t>((p.rows + least_rows - 1) / least_rows, 1, most);
  float* const second_partial = p.partial == nullptr ? nullptr : p.partial + blocks * p.first_columns();
  const pass_view v = {hidden_view_of(p),
                       p.hidden_gradient,
                       p.x,
                       p.gradient,
                       p.gamma,
                       p.beta,
                       p.normed,
                       p.partial,
                       second_partial,
                       (p.rows + blocks - 1) / blocks};
  // A block handles a hidden row, which has four times as many columns, at a chunk a thread.
  row_norm::with_channels<threads_of_block * chunk / 4>(p.channels, [&](auto channels) {
    const auto kernel = p.kind == kind::swiglu ? rows_between_products<kind::swiglu, channels>
                                               : rows_between_products<kind::gelu, channels>;
    launch(to, kernel, dim3(static_cast<unsigned>(blocks)), dim3(threads_of_block), 0, v);
  });
  const int parts = static_cast<int>(blocks);
  sum_partials(to, p.partial, parts, p.first_columns(), p.first_bias_gradient);
  sum_partials(to, second_partial, parts, p.channels, p.second_bias_gradient);
}

}  // namespace ablate::mlp
