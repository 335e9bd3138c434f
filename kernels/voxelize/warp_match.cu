// Warp aggregation, no shared memory: the lanes of a warp whose points fall into the same cell are found with
// one match instruction, and the first of them sends their number as one reduction. Should move: L2 reduction
// requests, down by the number of points that share a cell within 32 consecutive points; issue slots, up by
// the match.
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void match_in_warp(view<Count> v) {
  constexpr unsigned whole_warp = 0xffffffffu;
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const unsigned lane = threadIdx.x % warpSize;
  // The match needs every lane of the warp: lanes past the end take part with cell −1.
  const int cell = v.cell_of_point(v.cloud_points(), i);
  const unsigned peers = __match_any_sync(whole_warp, cell);
  const bool leads = lane == __ffs(peers) - 1;
  if (i < v.points_per_cloud) events.add(points);
  if (lane == 0 && i < v.points_per_cloud) events.add(groups);
  if (cell >= 0) {
    events.add(valid);
    if (leads) {
      events.add(group_voxels);
      add_to_cell(v.cloud_grid(), cell, static_cast<Count>(__popc(peers)), events);
    } else {
      events.add(hits);
    }
  }
  events.write(v.events);
}

void warp_match(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, match_in_warp<Count, instrumented>, grid_of(p, block_threads), dim3(block_threads), 0,
           view<Count>(p));
  });
}

}  // namespace ablate::voxelize
