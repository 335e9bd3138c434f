// The fp32 numbers of dQ that blocks of keys write to device memory, in accumulator order (hopper_fused.cuh),
// and the kernel that rounds them to bf16 rows.
#pragma once

#include "kernels/common/softmax_math.cuh"
#include "kernels/window_attention_backward/view.cuh"

namespace ablate::window_attention_backward {

/// Where a row's dQ numbers begin, the row a multiple of 64; with parts, those of the block of keys that
/// starts at `first_key`.
template <bool OfParts>
__device__ float* query_gradient_numbers(const view& v, int batch, long long row, int head, int first_key) {
  float* const numbers =
      OfParts ? v.q_gradient_parts + first_key / keys_of_a_part * (v.batches * v.tokens * v.heads * v.width)
              : v.q_gradient_sums;
  return numbers + v.place_of_row(batch, row, head) * v.width;
}

constexpr int rounding_threads = 256;

/// Computes dQ from its numbers: nested, outermost first, `Columns` columns of 64 rows, a warp's 16 rows, 8
/// columns, a lane's four numbers. A thread has 8 columns of two rows. Parts are added in key order.
template <int Width, int Columns, bool OfParts>
__global__ __launch_bounds__(rounding_threads) void round_fused_gradients(view v) {
  constexpr int chunks = Width / 8, chunks_together = Columns / 8;
  const long long i = static_cast<long long>(blockIdx.x) * rounding_threads + threadIdx.x;
  const int chunk = static_cast<int>(i % chunks), low_row = static_cast<int>(i / chunks % 8),
            warp = static_cast<int>(i / chunks / 8 % 4);
  const long long first_row = i / chunks / 32 * 64, row = first_row % v.tokens;
  const int head = static_cast<int>(first_row / v.tokens % v.heads),
            batch = static_cast<int>(first_row / v.tokens / v.heads);
  if (batch >= v.batches) return;
  const int place =
      (chunk / chunks_together * 4 + warp) * 16 * Columns + chunk % chunks_together * 128 + low_row * 16;
  float4 sums[4] = {};
  const int parts = OfParts ? v.window / keys_of_a_part : 1;
  for (int part = 0; part < parts; ++part) {
    const auto* const numbers = reinterpret_cast<const float4*>(
        query_gradient_numbers<OfParts>(v, batch, row, head, part * keys_of_a_part) + place);
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const float4 more = numbers[q];
      sums[q].x += more.x;
      sums[q].y += more.y;
      sums[q].z += more.z;
      sums[q].w += more.w;
    }
  }
  __nv_bfloat16* const to = v.q_gradient + v.place(batch, row + 16 * warp + low_row, head) + 8 * chunk;
  const auto pair = [&](float low, float high) { return packed(low * v.scale, high * v.scale); };
  *reinterpret_cast<uint4*>(to) = {pair(sums[0].x, sums[0].y), pair(sums[1].x, sums[1].y),
                                   pair(sums[2].x, sums[2].y), pair(sums[3].x, sums[3].y)};
  *reinterpret_cast<uint4*>(to + 8LL * v.heads * Width) = {
      pair(sums[0].z, sums[0].w), pair(sums[1].z, sums[1].w), pair(sums[2].z, sums[2].w),
      pair(sums[3].z, sums[3].w)};
}

}  // namespace ablate::window_attention_backward
