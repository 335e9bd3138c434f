#pragma once

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// The least coordinate on each axis, then the least negated one, as integers in the order of the fp16
/// numbers: six minima, which a warp reduces in one instruction each.
struct extremes {
  int least[extreme_count];
};

/// fp16 bits ↔ integers in the same order.
__device__ inline int ordered_half(__half c) {
  const int bits = static_cast<short>(__half_as_ushort(c));
  return bits ^ (bits >> 15 & 0x7fff);
}
__device__ inline float float_of_ordered(int ordered) {
  return __half2float(__ushort_as_half(static_cast<unsigned short>(ordered ^ (ordered >> 15 & 0x7fff))));
}

__device__ inline extremes no_extremes() {
  extremes none;
  for (int& least : none.least) least = 0x7fffffff;
  return none;
}

__device__ inline void include(extremes& all, const __half* c) {
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const int at = ordered_half(c[axis]);
    all.least[axis] = min(all.least[axis], at);
    all.least[axis + 3] = min(all.least[axis + 3], -at);
  }
}

/// Reduces over the block and stores the result as that of this block. At least six warps; synchronizes once.
__device__ inline void store_extremes(const view& v, const extremes& mine) {
  __shared__ int of_warp[extreme_count][32];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int e = 0; e < extreme_count; ++e) {
    const int least = __reduce_min_sync(~0u, mine.least[e]);
    if (lane == 0) of_warp[e][warp] = least;
  }
  __syncthreads();
  if (warp >= extreme_count) return;
  const int warps = static_cast<int>(blockDim.x / 32);
  const int least = __reduce_min_sync(~0u, lane < warps ? of_warp[warp][lane] : 0x7fffffff);
  if (lane == 0) v.scratch.block_extremes[warp * max_prepare_blocks + blockIdx.x] = least;
}

/// The box of all blocks' extremes, to every thread: Q over each axis's extent, or over the longest one; 0 on
/// an axis without extent. At least six warps; synchronizes once.
__device__ inline voxel_scale scale_of_all(const view& v, bool isotropic) {
  __shared__ int of_all[extreme_count];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (warp < extreme_count) {
    int least = 0x7fffffff;
    for (unsigned block = lane; block < gridDim.x; block += 32)
      least = min(least, __ldcg(v.scratch.block_extremes + warp * max_prepare_blocks + block));
    least = __reduce_min_sync(~0u, least);
    if (lane == 0) of_all[warp] = least;
  }
  __syncthreads();
  voxel_scale box;
  float extent[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = float_of_ordered(of_all[axis]);
    extent[axis] = __fsub_rn(float_of_ordered(-of_all[axis + 3]), box.low[axis]);
  }
  const float longest = fmaxf(fmaxf(extent[0], extent[1]), extent[2]);
#pragma unroll
  for (int axis = 0; axis < 3; ++axis)
    box.scale[axis] = extent[axis] > 0 ? __fdiv_rn(static_cast<float>(quantization_levels),
                                                   isotropic ? longest : extent[axis])
                                       : 0.0f;
  return box;
}

}  // namespace ablate::psh_bucket
