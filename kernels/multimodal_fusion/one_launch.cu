// One launch for all streams, no shared memory, one warp per target: its first three lanes search, one stream
// each, and broadcast with shuffles; then the warp loops over the channels of all streams.
// Layout: times in device memory; a row of out holds the streams' channels side by side.
// Idea: one launch instead of three, and a target's searches run side by side instead of one after the other.
// Should move: time, by two launches; latency of the searches, to that of the longest.
#include "kernels/multimodal_fusion/parts.h"
#include "kernels/multimodal_fusion/view.cuh"

namespace ablate::multimodal_fusion {

template <class Element>
__global__ __launch_bounds__(block_threads) void fuse_by_warps(view<Element> v) {
  const int lane = threadIdx.x % warp_lanes;
  const int target = blockIdx.x * targets_per_block + threadIdx.x / warp_lanes;
  if (target >= v.targets()) return;
  bracket of_lane{};
  if (lane < stream_count)
    of_lane = v.streams[lane].bracket_of(v.streams[lane].times_of(blockIdx.y), v.target_time(target));
  v.interpolate_by_warp(target, [&](int s) { return trajectory_resample::from_lane(of_lane, s); });
}

void fuse_by_lanes(launcher& to, const problem& p) {
  trajectory_resample::with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, fuse_by_warps<Element>, grid_of(p), dim3(block_threads), 0, view<Element>(p));
  });
}

}  // namespace ablate::multimodal_fusion
