// out = exp(in - max) / sum of the same, over a row. In three passes over the row (maximum, sum, shares), or
// in two: the sum is kept for the greatest value so far and scaled whenever a greater one comes (Milakov and
// Gimelshein 2018). A row is a block's of 256 threads or a warp's. Should move: sectors read, by a third
// where a row does not stay in L1.
#include <ablate/common/switches.h>
#include <ablate/common/launch.cuh>

#include <cmath>

#include "harness/softmax.h"

namespace rows {

constexpr int warp_threads = 32, block_threads = 256;

/// A sum of exp(x - greatest) over some x; of none: greatest is -inf.
struct partial {
  float greatest, sum;
};

__device__ partial joined(partial a, partial b) {
  const float greatest = fmaxf(a.greatest, b.greatest);
  if (greatest == -INFINITY) return a;  // both of none: -inf minus -inf is no number
  return {greatest, a.sum * expf(a.greatest - greatest) + b.sum * expf(b.greatest - greatest)};
}

__device__ partial joined_in_warp(partial mine) {
  for (int apart = warp_threads / 2; apart > 0; apart /= 2)
    mine = joined(mine, {__shfl_xor_sync(0xffffffffu, mine.greatest, apart),
                         __shfl_xor_sync(0xffffffffu, mine.sum, apart)});
  return mine;
}

/// The partial sum of the whole row, in every thread of the row. All threads of the block must call it.
template <int RowThreads>
__device__ partial joined_in_row(partial mine) {
  mine = joined_in_warp(mine);
  if constexpr (RowThreads > warp_threads) {
    __shared__ partial of_warp[RowThreads / warp_threads];
    __syncthreads();  // the last call's results have been read
    if (threadIdx.x % warp_threads == 0) of_warp[threadIdx.x / warp_threads] = mine;
    __syncthreads();
    mine = of_warp[0];
    for (int warp = 1; warp < RowThreads / warp_threads; ++warp) mine = joined(mine, of_warp[warp]);
  }
  return mine;
}

template <bool Online, int RowThreads>
__global__ __launch_bounds__(block_threads) void softmax_rows(problem p) {
  constexpr int rows_per_block = block_threads / RowThreads;
  const long long row = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x / RowThreads;
  const bool is_row = row < p.rows;  // whole warps: a row's threads are together
  const float* const in = p.in + row * p.columns;
  const int first = threadIdx.x % RowThreads;
  partial mine{-INFINITY, 0};
  if constexpr (Online) {
    for (long long i = first; is_row && i < p.columns; i += RowThreads) mine = joined(mine, {in[i], 1});
    mine = joined_in_row<RowThreads>(mine);
  } else {
    for (long long i = first; is_row && i < p.columns; i += RowThreads)
      mine.greatest = fmaxf(mine.greatest, in[i]);
    const float greatest = joined_in_row<RowThreads>(mine).greatest;
    mine = {greatest, 0};
    for (long long i = first; is_row && i < p.columns; i += RowThreads) mine.sum += expf(in[i] - greatest);
    mine = joined_in_row<RowThreads>(mine);
  }
  for (long long i = first; is_row && i < p.columns; i += RowThreads)
    p.out[row * p.columns + i] = expf(in[i] - mine.greatest) / mine.sum;
}

void softmax(ablate::launcher& to, const problem& p, const ablate::switches& s) {
  const bool is_online = s.word("online") == "on", is_warp = s.word("row") == "warp";
  const auto kernel =
      is_online ? (is_warp ? softmax_rows<true, warp_threads> : softmax_rows<true, block_threads>)
                : (is_warp ? softmax_rows<false, warp_threads> : softmax_rows<false, block_threads>);
  const int rows_per_block = is_warp ? block_threads / warp_threads : 1;
  ablate::launch(to, kernel, dim3(ablate::blocks_for(p.rows, rows_per_block)), dim3(block_threads), 0, p);
}

}  // namespace rows
