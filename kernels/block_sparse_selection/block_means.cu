// Means of blocks of tokens' rows: a warp a block of a head, eight lanes a row, four rows at a time; lanes of
// one piece of the rows then add up. Each row is read once, in whole lines. Should move: DRAM bytes, those of
// the rows and no more.
#include "kernels/block_sparse_selection/block_means.h"

#include "kernels/block_sparse_selection/mean_view.cuh"

namespace ablate::block_sparse_selection {

template <class View>
__device__ void take_mean(const View& v) {
  const long long number = v.block_of_warp();
  if (number >= v.all_blocks) return;
  constexpr int pieces = width / 8, rows_at_once = 32 / pieces;
  const int lane = static_cast<int>(threadIdx.x) % 32, piece = lane % pieces, count = v.tokens_of(number);
  const auto* const from = reinterpret_cast<const uint4*>(v.first_row(number)) + piece;
  float sum[8] = {};
#pragma unroll 4
  for (int row = lane / pieces; row < count; row += rows_at_once) {
    float elements[8];
    widen(from[row * pieces], elements);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum[i] += elements[i];
  }
#pragma unroll
  for (float& x : sum) {
    x += __shfl_xor_sync(~0u, x, pieces);
    x += __shfl_xor_sync(~0u, x, 2 * pieces);
    x /= static_cast<float>(count);
  }
  if (lane >= pieces) return;
  const auto pair = [&](int i) {
    return static_cast<unsigned>(bf16_of(sum[i])) | static_cast<unsigned>(bf16_of(sum[i + 1])) << 16;
  };
  reinterpret_cast<uint4*>(v.mean(number))[piece] = {pair(0), pair(2), pair(4), pair(6)};
}

__global__ __launch_bounds__(row_threads) void mean_of_block(const __grid_constant__ mean_view v) {
  take_mean(v);
}
__global__ __launch_bounds__(row_threads) void mean_among_others(const __grid_constant__ pooled_view v) {
  take_mean(v);
}

void take_means(launcher& to, const block_means& m) {
  const pooled_view v(m);
  if (m.stands_alone())
    launch(to, mean_of_block, grid_of(v), dim3(row_threads), 0, mean_view(m));
  else
    launch(to, mean_among_others, grid_of(v), dim3(row_threads), 0, v);
}

}  // namespace ablate::block_sparse_selection
