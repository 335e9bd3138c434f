// A thread adds one feature of one point, as torch-scatter's kernels do: neighboring lanes take neighboring
// features, so loads are whole rows and the reductions of one point fall into few sectors. Each of a point's
// threads recomputes its cell, from coordinates that one load broadcasts to all of them. Should move: sectors
// per load request and per reduction request, down; instructions, up.
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

template <int Features>
__global__ __launch_bounds__(block_threads) void add_by_element(view v) {
  const long long element = point_of_thread(), i = element / Features;
  const int feature = static_cast<int>(element % Features);
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  if (cell < 0) return;
  if (feature == 0) atomicAdd(v.count + cell, 1);
  atomicAdd(v.sums_of<Features>(cell) + feature, v.features_of<Features>(i)[feature]);
}

void element_atomic(launcher& to, const problem& p, const switches&) {
  with_features(p, [&](auto features) {
    // With one feature, this is a thread per point.
    if constexpr (features > 1) {
      dim3 grid = grid_of(p, block_threads);
      grid.x = blocks_for(p.points_per_cloud * features, block_threads);
      launch(to, add_by_element<features>, grid, dim3(block_threads), 0, view(p));
    }
  });
  divide_sums(to, p);
}

}  // namespace ablate::voxel_mean
