// Where targets ascend, each starts from the one before. A warp takes several consecutive targets, searches
// for the first, and walks on for the others: 32 samples at once, one per lane, and a ballot counts those
// that are not later.
// Layout: times in device memory; lane k of the warp holds the bracket (i, α) of its k-th target.
// Idea: samples and targets are two sorted lists, which a merge passes once: S / T samples per target, so one
// read of 128 contiguous bytes instead of ⌈log₂ samples⌉ dependent reads, and no copy of times that no target
// needs. Should move: instructions and stalls of the search, down; no shared memory.
#include "kernels/trajectory_resample/launches.h"
#include "kernels/trajectory_resample/view.cuh"

namespace ablate::trajectory_resample {

constexpr int walk_block_threads = 128;

/// Number of samples that are not later than a target, given a lower bound to walk from.
template <class Element>
__device__ int walk_on(const view<Element>& v, const float* times, int not_later, float target, int lane) {
  unsigned passed;
  do {
    const int sample = not_later + lane;
    passed = __ballot_sync(whole_warp, sample < v.samples && times[sample] <= target);
    not_later += __popc(passed);
  } while (passed == whole_warp);
  return not_later;
}

template <class Element, int Width>
__global__ __launch_bounds__(walk_block_threads) void walk_sorted_targets(view<Element> v,
                                                                          int targets_per_warp) {
  const int lane = threadIdx.x % warp_lanes;
  const int warp = (blockIdx.x * walk_block_threads + threadIdx.x) / warp_lanes;
  const int first_target = warp * targets_per_warp;
  const int targets = min(targets_per_warp, v.targets - first_target);
  if (targets <= 0) return;
  const float* const times = v.times_of(blockIdx.y);

  const float mine = lane < targets ? v.target_time(blockIdx.y, first_target + lane) : 0.0f;
  int not_later = v.count_not_later(times, __shfl_sync(whole_warp, mine, 0));
  int my_count = not_later;
  for (int k = 1; k < targets; ++k) {
    not_later = walk_on(v, times, not_later, __shfl_sync(whole_warp, mine, k), lane);
    if (lane == k) my_count = not_later;
  }
  const bracket of_lane = v.bracket_behind(times, my_count, mine);

  const int vectors = v.channels / Width, all = targets * vectors;
  for (int first = 0; first < all; first += warp_lanes) {
    const int i = first + lane;
    const int target = min(i, all - 1) / vectors;
    const bracket at = from_lane(of_lane, target);
    if (i < all) v.template interpolate<Width>(blockIdx.y, first_target + target, at, i % vectors * Width);
  }
}

void merge_walk(launcher& to, const problem& p, const switches& s) {
  const int targets_per_warp = static_cast<int>(s.integer("targets_per_warp"));
  const dim3 grid = grid_of(p, targets_per_warp * (walk_block_threads / warp_lanes));
  with_vectors(p, [&](auto zero, auto width) {
    using Element = decltype(zero);
    launch(to, walk_sorted_targets<Element, width>, grid, dim3(walk_block_threads), 0, view<Element>(p),
           targets_per_warp);
  });
}

}  // namespace ablate::trajectory_resample
