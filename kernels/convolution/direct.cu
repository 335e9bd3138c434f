// Without shared memory. One output a thread: filter² loads of 4 bytes with a test of the border each, which
// neighbors repeat from L1. Four outputs a thread: a row of the image is read once by 16-byte loads into
// registers and serves all taps of the row and all four outputs, filter / 4 + 2 loads for 4 · filter
// multiply-adds. Eight outputs are four of two neighboring rows, which share all rows of the image but two.
// Weights come from the constant bank. Should move with more outputs: L1 requests, down; the fp32 pipe, up.
#include "kernels/convolution/launches.h"
#include "kernels/convolution/view.cuh"

namespace ablate::convolution {

template <int Filter>
__global__ __launch_bounds__(block_threads) void filter_one_from_global(
    const __grid_constant__ view<Filter> v) {
  const int x = static_cast<int>(blockIdx.x) * threads_across + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * threads_down + static_cast<int>(threadIdx.y);
  if (x >= v.width || y >= v.height) return;
  v.out[static_cast<long long>(y) * v.width + x] = weighted_sum(
      v, [&](int dy, int dx) { return v.at(y + dy - view<Filter>::radius, x + dx - view<Filter>::radius); });
}

template <int Filter, row_access Access>
__global__ __launch_bounds__(block_threads) void filter_four_from_global(
    const __grid_constant__ view<Filter> v) {
  const int x = (static_cast<int>(blockIdx.x) * threads_across + static_cast<int>(threadIdx.x)) * outputs;
  const int y = static_cast<int>(blockIdx.y) * threads_down + static_cast<int>(threadIdx.y);
  const float4 sums = four_weighted_sums(v, [&](int dy, int column) {
    return four_columns<Access>(v, y + dy - view<Filter>::radius, x + column - margin<Filter>);
  });
  store_four<Access>(v, y, x, sums);
}

template <int Filter, row_access Access>
__global__ __launch_bounds__(block_threads) void filter_eight_from_global(
    const __grid_constant__ view<Filter> v) {
  const int x = (static_cast<int>(blockIdx.x) * threads_across + static_cast<int>(threadIdx.x)) * outputs;
  const int y = (static_cast<int>(blockIdx.y) * threads_down + static_cast<int>(threadIdx.y)) * 2;
  float4 upper, lower;
  eight_weighted_sums(
      v,
      [&](int dy, int column) {
        return four_columns<Access>(v, y + dy - view<Filter>::radius, x + column - margin<Filter>);
      },
      upper, lower);
  store_four<Access>(v, y, x, upper);
  store_four<Access>(v, y + 1, x, lower);
}

void direct(launcher& to, const problem& p, const switches& s) {
  const outputs_of_thread each(s);
  with_filter(p, [&]<int Filter>(const view<Filter>& v, auto access) {
    launch(to,
           each.down == 2     ? filter_eight_from_global<Filter, access>
           : each.across == 1 ? filter_one_from_global<Filter>
                              : filter_four_from_global<Filter, access>,
           blocks_of(p, each), threads(), 0, v);
  });
}

}  // namespace ablate::convolution
