// Sorted and merged in segments, no shared memory: points of one cell are neighbors, so a lane leads if its
// left neighbor has another key, and sends one reduction for its run in the warp. Should move, against
// sorted_atomic: reductions, down to one per cell plus one for each further warp that a run extends into.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/sorted_keys.cuh"

namespace ablate::voxelize {

template <class Count, class Key, bool Instrumented>
__global__ __launch_bounds__(block_threads) void add_segments(view<Count> v, sorted_keys<Key> sorted) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const Key key = sorted.at(i);
  const merged_points merged = merge_neighbors()(key);
  events.add(points, i < sorted.count);
  if (i < sorted.count && threadIdx.x % warpSize == 0) events.add(groups);
  if (key != sorted.none) {
    events.add(valid);
    if (merged.leads) {
      events.add(group_voxels);
      add_to_cell(sorted.counter_of(v, key), 0, static_cast<Count>(merged.points), events);
    } else {
      events.add(hits);
    }
  }
  events.write(v.events);
}

void sorted_segments(launcher& to, const problem& p, const switches& s) {
  count_sorted(to, p, s, [&](auto count, auto instrumented, auto sorted) {
    using Count = decltype(count);
    launch(to, add_segments<Count, typename decltype(sorted)::key, instrumented>,
           dim3(blocks_for(sorted.count, block_threads)), dim3(block_threads), 0, view<Count>(p), sorted);
  });
}

}  // namespace ablate::voxelize
