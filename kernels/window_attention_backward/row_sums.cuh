// What the backward pass needs of each query: Δ, the row sum of dO∘O, beside the log-sum-exp in base 2.
#pragma once

#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

/// Δ of the `at`-th row of [batches][tokens][heads], if it is there, by Width / 8 neighboring lanes, 16 bytes
/// of each tensor a lane; all lanes of the warp call it.
template <int Width, class Index>
__device__ inline float sum_row(const view& v, Index at, bool is_there) {
  constexpr int lanes = Width / 8;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  float sum = 0;
  if (is_there) {
    const uint4 gradient = reinterpret_cast<const uint4*>(v.out_gradient)[at * lanes + lane],
                out = reinterpret_cast<const uint4*>(v.out)[at * lanes + lane];
    const auto add = [&](unsigned a, unsigned b) {
      sum = fmaf(__uint_as_float(a << 16), __uint_as_float(b << 16), sum);
      sum = fmaf(__uint_as_float(a & 0xffff0000u), __uint_as_float(b & 0xffff0000u), sum);
    };
    add(gradient.x, out.x);
    add(gradient.y, out.y);
    add(gradient.z, out.z);
    add(gradient.w, out.w);
  }
#pragma unroll
  for (int other = lanes / 2; other > 0; other /= 2) sum += __shfl_xor_sync(~0u, sum, other);
  return sum;
}

/// `place`: the row's in [batches][heads][tokens].
template <statistics_order Order, class Index>
__device__ inline void store_statistics(const view& v, Index place, float delta) {
  const row_statistics found = {v.lse[place] * log2_of_e, delta};
  if constexpr (Order == statistics_order::rows) {
    v.statistics[place] = found;
  } else {
    const auto row = static_cast<int>(place % 16);
    float* const to =
        reinterpret_cast<float*>(v.statistics + (place - row)) + row % 8 / 2 * 4 + row / 8 * 2 + row % 2;
    to[0] = found.lse_log2;
    to[16] = found.delta;
  }
}

/// Those of all rows of a window's head, by `warps` warps, this one included; in few registers, so with
/// short indices: no tensor has 2^32 pieces of 16 bytes.
template <int Width, statistics_order Order>
__device__ inline void sum_rows_of_window(const view& v, const row_block& of, int warp, int warps) {
  constexpr int lanes = Width / 8, rows = 32 / lanes;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const unsigned heads = v.heads, head = of.head, tokens = static_cast<unsigned>(v.tokens),
                 batch_row = of.batch * tokens, first_place = (of.batch * heads + head) * tokens;
#pragma unroll 1
  for (int token = warp * rows; token < v.window; token += warps * rows) {
    const auto row = static_cast<unsigned>(v.row_of(of.window, token + lane / lanes));
    const float delta = sum_row<Width>(v, (batch_row + row) * heads + head, true);
    if (lane % lanes == 0) store_statistics<Order>(v, first_place + row, delta);
  }
}

}  // namespace ablate::window_attention_backward
