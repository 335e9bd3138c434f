#pragma once

#include <cub/block/block_reduce.cuh>

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

__device__ inline extremes no_extremes() {
  const float infinity = __int_as_float(0x7f800000);
  return {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
}

__device__ inline extremes joined(const extremes& a, const extremes& b) {
  extremes both;
  for (int axis = 0; axis < 3; ++axis) {
    both.low[axis] = fminf(a.low[axis], b.low[axis]);
    both.high[axis] = fmaxf(a.high[axis], b.high[axis]);
  }
  return both;
}

/// Of the points `first`, `first + stride`, …
__device__ inline extremes extremes_of_points(const view& v, unsigned first, unsigned stride) {
  extremes found = no_extremes();
  for (unsigned point = first; point < v.points; point += stride) {
    const __half* c = v.coordinates + 3ull * point;
    const float at[3] = {__half2float(c[0]), __half2float(c[1]), __half2float(c[2])};
    found = joined(found, {{at[0], at[1], at[2]}, {at[0], at[1], at[2]}});
  }
  return found;
}

/// Of the blocks' results that this thread takes.
__device__ inline extremes extremes_of_parts(const extremes* parts, unsigned count) {
  extremes found = no_extremes();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) found = joined(found, parts[i]);
  return found;
}

/// Over the block; the result is thread 0's. Synchronizes.
template <int Threads>
__device__ extremes reduce_in_block(const extremes& mine) {
  using reduction = cub::BlockReduce<extremes, Threads>;
  __shared__ typename reduction::TempStorage storage;
  __syncthreads();
  return reduction(storage).Reduce(mine, [](const extremes& a, const extremes& b) { return joined(a, b); });
}

/// Q over each axis's extent, or over the longest one; 0 on an axis without extent.
__device__ inline voxel_scale scale_of(const extremes& box, bool isotropic) {
  voxel_scale s;
  float longest = 0;
  for (int axis = 0; axis < 3; ++axis) longest = fmaxf(longest, __fsub_rn(box.high[axis], box.low[axis]));
  for (int axis = 0; axis < 3; ++axis) {
    const float own = __fsub_rn(box.high[axis], box.low[axis]);
    const float extent = isotropic ? longest : own;
    s.low[axis] = box.low[axis];
    s.scale[axis] = own > 0 ? __fdiv_rn(static_cast<float>(quantization_levels), extent) : 0.0f;
  }
  return s;
}

}  // namespace ablate::psh_bucket
