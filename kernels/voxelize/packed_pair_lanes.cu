// Packed pairs merged by neighboring lanes: lanes 2k and 2k+1 exchange their cells, and if both belong to one
// pair of cells, the even lane sends both points as one 64-bit reduction. Should move: L2 reduction requests,
// halved at best.
#include "kernels/voxelize/cell_pairs.cuh"
#include "kernels/voxelize/launches.h"

namespace ablate::voxelize {

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void merge_lane_pairs(view<int> v, cell_pairs<int> pairs) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const int at = pairs.place_of(v, v.cell_of_point(v.cloud_points(), i));
  const int other = __shfl_xor_sync(whole_warp, at, 1);
  const bool merges = at >> 1 == other >> 1;
  const bool leads = !merges || threadIdx.x % 2 == 0;
  if (i < v.points_per_cloud) {
    events.add(points);
    if (threadIdx.x % 2 == 0) events.add(groups);
  }
  if (at >= 0) {
    events.add(valid);
    if (leads) {
      events.add(group_voxels);
      const unsigned high = static_cast<unsigned>(at & 1) + (merges ? static_cast<unsigned>(other & 1) : 0);
      pairs.add(v, at >> 1, (merges ? 2 : 1) - high, high, events);
    } else {
      events.add(hits);
    }
  }
  events.write(v.events);
}

void packed_pair_lanes(launcher& to, const problem& p, const switches&) {
  ablate::with_form(p, [&](auto instrumented) {
    launch(to, merge_lane_pairs<instrumented>, grid_of(p, block_threads), dim3(block_threads), 0,
           view<int>(p), cell_pairs<int>(p));
  });
}

}  // namespace ablate::voxelize
