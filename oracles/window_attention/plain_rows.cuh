// What the yardsticks of the forward and the backward pass have in common: fp32 without tensor cores, four
// lanes a row, rows of the other side one after the other from shared memory.
#pragma once

#include <cuda_bf16.h>

#include "kernels/common/lane_sums.cuh"

namespace ablate::window_attention {

constexpr int lanes_per_row = 4;

/// 0 for NaN and infinities, and for what fp32 does not hold.
__device__ inline float finite_square(float x) { return isfinite(x * x) ? x * x : 0; }

/// A lane's part of a row: of each 16 elements four, so that the lanes read 64 bytes together.
template <int Width>
struct row_part {
  static constexpr int size = Width / lanes_per_row;
  float x[size] = {};

  __device__ static int lane() { return static_cast<int>(threadIdx.x) % lanes_per_row; }
  /// Where x[i] is in the row.
  __device__ static int element(int i) { return (i / 4 * lanes_per_row + lane()) * 4 + i % 4; }

  __device__ void load(const __nv_bfloat16* row) {
#pragma unroll
    for (int i = 0; i < size; ++i) x[i] = __bfloat162float(row[element(i)]);
  }
  /// This lane's part of the product with a row in shared memory, aligned to 16 bytes.
  __device__ float part_of_product(const float* row) const {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < size; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(row + element(i));
      sum = fmaf(x[i], four.x, sum);
      sum = fmaf(x[i + 1], four.y, sum);
      sum = fmaf(x[i + 2], four.z, sum);
      sum = fmaf(x[i + 3], four.w, sum);
    }
    return sum;
  }
  /// The product of whole rows, in all four lanes.
  __device__ float times(const float* row) const { return sum_of_lanes<lanes_per_row>(part_of_product(row)); }
  __device__ void add(float factor, const float* row) {
#pragma unroll
    for (int i = 0; i < size; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(row + element(i));
      x[i] = fmaf(factor, four.x, x[i]);
      x[i + 1] = fmaf(factor, four.y, x[i + 1]);
      x[i + 2] = fmaf(factor, four.z, x[i + 2]);
      x[i + 3] = fmaf(factor, four.w, x[i + 3]);
    }
  }
  __device__ void multiply(float factor) {
#pragma unroll
    for (float& element : x) element *= factor;
  }
  /// The square of the whole row's norm, of its finite elements, in all four lanes; no more than fp32 holds.
  __device__ float squared_norm() const {
    float sum = 0;
#pragma unroll
    for (const float element : x)
      if (isfinite(element * element)) sum = fmaf(element, element, sum);
    return sum_of_lanes<lanes_per_row>(sum);
  }
  /// To a row in device memory, and what errors of the row are divided by (deviation): `noise` or, where it
  /// is greater, the row's norm; and `lost`.
  __device__ void store(float* row, float* scale, float noise, float lost = 0) const {
    double squared = 0;
#pragma unroll
    for (int i = 0; i < size; ++i) {
      row[element(i)] = x[i];
      if (isfinite(x[i])) squared += static_cast<double>(x[i]) * x[i];
    }
    for (int lanes = 1; lanes < lanes_per_row; lanes *= 2) squared += __shfl_xor_sync(~0u, squared, lanes);
    if (lane() == 0) *scale = fmaxf(static_cast<float>(sqrt(squared)), noise) + lost;
  }
};

}  // namespace ablate::window_attention
