// As direct.cu, one, four or eight outputs a thread, the image through a tile in shared memory: a block
// copies what its outputs need, with a halo of half the filter on each side, and reads all taps there.
// Outside of the image the tile holds zeros, so taps need no test. Rows of 32 lanes read neighboring floats,
// or neighboring 16 bytes: no bank conflicts. Should move against direct.cu: global load requests, down to
// little more than one an element; shared loads in their place.
#include "kernels/convolution/launches.h"
#include "kernels/convolution/view.cuh"

namespace ablate::convolution {

template <int Filter>
__global__ __launch_bounds__(block_threads) void filter_one_from_tile(
    const __grid_constant__ view<Filter> v) {
  constexpr int halo = view<Filter>::radius, columns = threads_across + 2 * halo,
                rows = threads_down + 2 * halo;
  __shared__ float tile[rows][columns];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int first_x = static_cast<int>(blockIdx.x) * threads_across;
  const int first_y = static_cast<int>(blockIdx.y) * threads_down;
  for (int row = ty; row < rows; row += threads_down)
    for (int column = tx; column < columns; column += threads_across)
      tile[row][column] = v.at(first_y + row - halo, first_x + column - halo);
  __syncthreads();
  const int x = first_x + tx, y = first_y + ty;
  if (x >= v.width || y >= v.height) return;
  v.out[static_cast<long long>(y) * v.width + x] =
      weighted_sum(v, [&](int dy, int dx) { return tile[ty + dy][tx + dx]; });
}

template <int Filter, row_access Access>
__global__ __launch_bounds__(block_threads) void filter_four_from_tile(
    const __grid_constant__ view<Filter> v) {
  constexpr int halo = view<Filter>::radius, rows = threads_down + 2 * halo;
  constexpr int vectors = (block_columns + 2 * margin<Filter>) / outputs;
  __shared__ float4 tile[rows][vectors];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int first_x = static_cast<int>(blockIdx.x) * block_columns;
  const int first_y = static_cast<int>(blockIdx.y) * threads_down;
  for (int row = ty; row < rows; row += threads_down)
    for (int i = tx; i < vectors; i += threads_across)
      tile[row][i] = four_columns<Access>(v, first_y + row - halo, first_x + i * outputs - margin<Filter>);
  __syncthreads();
  const float4 sums =
      four_weighted_sums(v, [&](int dy, int column) { return tile[ty + dy][tx + column / outputs]; });
  store_four<Access>(v, first_y + ty, first_x + tx * outputs, sums);
}

template <int Filter, row_access Access>
__global__ __launch_bounds__(block_threads) void filter_eight_from_tile(
    const __grid_constant__ view<Filter> v) {
  constexpr int halo = view<Filter>::radius, rows = 2 * threads_down + 2 * halo;
  constexpr int vectors = (block_columns + 2 * margin<Filter>) / outputs;
  __shared__ float4 tile[rows][vectors];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int first_x = static_cast<int>(blockIdx.x) * block_columns;
  const int first_y = static_cast<int>(blockIdx.y) * 2 * threads_down;
  for (int row = ty; row < rows; row += threads_down)
    for (int i = tx; i < vectors; i += threads_across)
      tile[row][i] = four_columns<Access>(v, first_y + row - halo, first_x + i * outputs - margin<Filter>);
  __syncthreads();
  float4 upper, lower;
  eight_weighted_sums(
      v, [&](int dy, int column) { return tile[2 * ty + dy][tx + column / outputs]; }, upper, lower);
  store_four<Access>(v, first_y + 2 * ty, first_x + tx * outputs, upper);
  store_four<Access>(v, first_y + 2 * ty + 1, first_x + tx * outputs, lower);
}

void smem_tile(launcher& to, const problem& p, const switches& s) {
  const outputs_of_thread each(s);
  with_filter(p, [&]<int Filter>(const view<Filter>& v, auto access) {
    launch(to,
           each.down == 2     ? filter_eight_from_tile<Filter, access>
           : each.across == 1 ? filter_one_from_tile<Filter>
                              : filter_four_from_tile<Filter, access>,
           blocks_of(p, each), threads(), 0, v);
  });
}

}  // namespace ablate::convolution
