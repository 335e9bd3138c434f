#pragma once

#include "kernels/multimodal_fusion/multimodal_fusion.h"
#include "kernels/trajectory_resample/view.cuh"

namespace ablate::multimodal_fusion {

using trajectory_resample::bracket;
using trajectory_resample::warp_lanes;

/// One warp per target, in all kernels with one launch.
constexpr int block_threads = 256, targets_per_block = block_threads / warp_lanes;
constexpr int brackets_per_block = targets_per_block * stream_count;

/// The problem as a kernel argument: three streams that write to the same rows.
template <class Element>
struct view {
  trajectory_resample::view<Element> streams[stream_count];

  explicit view(const problem& p)
      : streams{trajectory_resample::view<Element>(resampling_of(p, 0)),
                trajectory_resample::view<Element>(resampling_of(p, 1)),
                trajectory_resample::view<Element>(resampling_of(p, 2))} {}

  __device__ int targets() const { return streams[0].targets; }
  __device__ float target_time(int target) const { return streams[0].target_time(blockIdx.y, target); }

  /// All channels of a target by one warp; every lane calls `bracket_of(stream)`.
  template <class BracketOf>
  __device__ void interpolate_by_warp(int target, BracketOf bracket_of) const {
#pragma unroll
    for (int s = 0; s < stream_count; ++s) {
      const bracket at = bracket_of(s);
      for (int channel = threadIdx.x % warp_lanes; channel < streams[s].channels; channel += warp_lanes)
        streams[s].interpolate(blockIdx.y, target, at, channel);
    }
  }

  /// Finds the brackets of this block's targets, [target][stream] in shared memory, one thread each, then
  /// writes all channels. `times_of(stream)` returns the stream's times, wherever they are stored.
  template <class TimesOf>
  __device__ void fuse_block(bracket* brackets, TimesOf times_of) const {
    const int first_target = blockIdx.x * targets_per_block;
    if (const int target = threadIdx.x / stream_count;
        target < targets_per_block && first_target + target < targets()) {
      const int s = threadIdx.x % stream_count;
      brackets[threadIdx.x] = streams[s].bracket_of(times_of(s), target_time(first_target + target));
    }
    __syncthreads();
    const int warp = threadIdx.x / warp_lanes;
    if (first_target + warp >= targets()) return;
    interpolate_by_warp(first_target + warp, [&](int s) { return brackets[warp * stream_count + s]; });
  }
};

inline dim3 grid_of(const problem& p) {
  return dim3(blocks_for(p.targets, targets_per_block), static_cast<unsigned>(p.batch));
}

}  // namespace ablate::multimodal_fusion
