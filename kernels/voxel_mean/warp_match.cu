// Warp aggregation: the lanes whose points lie in one cell are found by one match instruction and sum their
// features by shuffles; the first of them sends the sums, `width` floats a reduction. Should move: L2
// reduction requests, down by the number of points that share a cell within 32 consecutive ones (7 on a
// ring-major scan, 1 on noise); issue slots, up by the shuffles.
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

template <int Features, int Width>
__global__ __launch_bounds__(block_threads) void add_by_peers(view v) {
  constexpr int loaded = vector_width<Features>;
  const long long i = point_of_thread();
  // The match needs every lane: those without a cell are peers with cell −1.
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  const lane_peers peers(cell);
  const bool sends = cell >= 0 && peers.leads();
  if (sends) atomicAdd(v.count + cell, peers.count());
#pragma unroll 2
  for (int f = 0; f < Features; f += loaded) {
    float sums[loaded] = {};
    if (cell >= 0) load(sums, v.features_of<Features>(i) + f);
    peers.sum(sums);
    if (sends) add<Width>(v.sums_of<Features>(cell) + f, sums);
  }
}

void warp_match(launcher& to, const problem& p, const switches& s) {
  with_features_and_width(p, s.integer("width"), [&](auto features, auto width) {
    launch(to, add_by_peers<features, width>, grid_of(p, block_threads), dim3(block_threads), 0, view(p));
  });
  divide_sums(to, p);
}

}  // namespace ablate::voxel_mean
