// What the yardsticks of pooling and of its gradients have in common: rows in fp32, a warp a row, two
// elements a lane.
#pragma once

#include <cuda_bf16.h>

#include "kernels/block_pooling/view.cuh"

namespace ablate::block_pooling {

__device__ inline float sum_of_warp(float x) {
  for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(~0u, x, far);
  return x;
}
__device__ inline float max_of_warp(float x) {
  for (int far = 16; far > 0; far /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, far));
  return x;
}

/// The lane's elements, 2 l and 2 l + 1, of a row, and what it accepts beside an ulp (tolerance_of).
struct plain_row {
  float x[2];
  float floor;
};

__device__ inline float2 elements_of(const unsigned char* row) {
  return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(row + threadIdx.x % 32 * 4));
}

/// The mean place of tokens, truncated: of one token, or of a block's.
__device__ inline image_place plain_place(int first, int count) {
  image_place sum{};
  for (int token = first; token < first + count; ++token) {
    const int in_image = token % tokens_of_image, patches = in_image / patch_block;
    sum.column += patches % columns_of_blocks * 4 + in_image % 4;
    sum.row += patches / columns_of_blocks * 4 + in_image % patch_block / 4;
  }
  return {sum.column / count, sum.row / count};
}

/// The lane's first element.
__device__ inline int plain_element() { return static_cast<int>(threadIdx.x) % 32 * 2; }

/// The greatest of a row's finite elements.
__device__ inline float plain_greatest(float2 y) {
  return max_of_warp(fmaxf(isfinite(y.x) ? fabsf(y.x) : 0, isfinite(y.y) ? fabsf(y.y) : 0));
}

/// The row less its mean, and the divisor of its norm.
struct plain_centered {
  float2 x;
  float deviation;

  __device__ explicit plain_centered(float2 row) {
    const float mean = sum_of_warp(row.x + row.y) / width;
    x = {row.x - mean, row.y - mean};
    deviation = sqrtf(sum_of_warp(x.x * x.x + x.y * x.y) / width + epsilon);
  }
};

/// Rotated at a place, or `back` from it.
__device__ inline float2 plain_rotated(const float* rotations, float2 y, const image_place& place,
                                       bool back) {
  const int element = plain_element(), position = element < width / 2 ? place.row : place.column;
  const float of_lane[2] = {y.x, y.y};
  float rotated[2];
  for (int i = 0; i < 2; ++i) {
    const float* const turn = rotations + 2 * (position * angles + element % angles + i);
    const float other = __shfl_xor_sync(~0u, of_lane[i], angles / 2);
    rotated[i] = (element / angles % 2 == 0) != back ? of_lane[i] * turn[0] - other * turn[1]
                                                     : of_lane[i] * turn[0] + other * turn[1];
  }
  return {rotated[0], rotated[1]};
}

}  // namespace ablate::block_pooling
