#pragma once

#include "kernels/trajectory_resample/view.cuh"

namespace ablate::trajectory_resample {

/// Shared by the kernels that differ only in where times are: device or shared memory.
constexpr int block_threads = 256, targets_per_block = 8;

/// Resamples this block's targets, one thread per output element, each with a search of its own.
template <class Element>
__device__ void resample_elements(const view<Element>& v, const float* times) {
  const int first_target = blockIdx.x * targets_per_block;
  const int elements = min(targets_per_block, v.targets - first_target) * v.channels;
  for (int e = threadIdx.x; e < elements; e += block_threads) {
    const int target = first_target + e / v.channels;
    const bracket at = v.bracket_of(times, v.target_time(blockIdx.y, target));
    v.interpolate(blockIdx.y, target, at, e % v.channels);
  }
}

/// Resamples this block's targets, one per warp: its first lane searches and tells the others.
template <class Element>
__device__ void resample_by_warps(const view<Element>& v, const float* times) {
  static_assert(targets_per_block % (block_threads / warp_lanes) == 0);
  const int lane = threadIdx.x % warp_lanes;
  const int end = min(static_cast<int>(blockIdx.x + 1) * targets_per_block, v.targets);
  for (int target = blockIdx.x * targets_per_block + threadIdx.x / warp_lanes; target < end;
       target += block_threads / warp_lanes) {
    bracket at{};
    if (lane == 0) at = v.bracket_of(times, v.target_time(blockIdx.y, target));
    at = from_lane(at, 0);
    for (int channel = lane; channel < v.channels; channel += warp_lanes)
      v.interpolate(blockIdx.y, target, at, channel);
  }
}

}  // namespace ablate::trajectory_resample
