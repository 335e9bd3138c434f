// Warp aggregation: one match instruction finds the lanes whose points are in one cell; they sum their
// features with shuffles, and the first of them sends the sums, `width` floats per reduction. Should move: L2
// reduction requests, down by the number of points that share a cell within 32 consecutive ones (7 on a
// ring-major scan, 1 on noise); issue slots, up by the shuffles. `pdl`: cells and the first
// sums are found while the grid is still being cleared.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

template <int Features, int Width>
__global__ __launch_bounds__(block_threads) void add_by_peers(view v) {
  let_next_kernel_begin();
  constexpr int loaded = vector_width<Features>;
  const long long i = point_of_thread();
  // The match needs every lane: those without a cell are peers with cell −1.
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  const lane_peers peers(cell);
  const bool sends = cell >= 0 && peers.leads();
#pragma unroll 2
  for (int f = 0; f < Features; f += loaded) {
    float sums[loaded] = {};
    if (cell >= 0) load(sums, v.features_of<Features>(i) + f);
    peers.sum(sums);
    if (f == 0) {
      wait_for_previous_kernel();
      if (sends) atomicAdd(v.count + cell, peers.count());
    }
    if (sends) add<Width>(v.sums_of<Features>(cell) + f, sums);
  }
}

void warp_match(launcher& to, const problem& p, const switches& s) {
  with_features_and_width(p, s.integer("width"), [&](auto features, auto width) {
    launch(to, add_by_peers<features, width>,
           {.grid = grid_of(p, block_threads),
            .block = dim3(block_threads),
            // Only of the clearing kernel is it known that it does not write the points.
            .overlaps_previous = s.is_on("pdl") && p.clears_grid},
           view(p));
  });
  divide_sums(to, p, s.is_on("pdl"));
}

}  // namespace ablate::voxel_mean
