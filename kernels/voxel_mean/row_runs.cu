// A warp handles 32 consecutive points, one after the other, with its lanes across the features: rows are
// loaded whole, neighbors in one cell add up in registers, and a run's sums are sent as whole rows when the
// cell changes. No shuffle except for the cell. Made for wide rows (64 features), which a thread per point
// would load 16 bytes at a time with a stride of 256. Four floats a lane are a row in half a warp, so each
// half takes 16 of the points. Should move: sectors per request, to whole lines; L2 reductions, down by the
// length of runs of neighbors.
#include "kernels/common/refuse_launch.h"
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

template <int Features, int Width>
__global__ __launch_bounds__(block_threads) void add_row_runs(view v) {
  constexpr int row_lanes = Features / Width < warp_lanes ? Features / Width : warp_lanes;
  constexpr int rows_at_once = warp_lanes / row_lanes, points_of_group = row_lanes;
  constexpr int vectors = Features / (Width * row_lanes);  // per row and lane
  static_assert(vectors > 0 && Features % (Width * row_lanes) == 0);
  const int lane_of_warp = static_cast<int>(threadIdx.x % warp_lanes);
  const int lane = lane_of_warp % row_lanes, first_of_group = lane_of_warp - lane;
  // Groups of lanes part where their points do.
  const unsigned group =
      rows_at_once == 1 ? whole_warp : (whole_warp >> (warp_lanes - row_lanes)) << first_of_group;
  const long long first = point_of_thread() - lane;
  const int own = v.in_batch(v.cell_of_point(v.cloud_points(), first + lane));
  float sums[vectors][Width] = {};
  int run = 0;
#pragma unroll 8
  for (int point = 0; point < points_of_group; ++point) {
    const int cell = __shfl_sync(group, own, first_of_group + point);
    if (cell < 0) continue;
    const float* const row = v.features_of<Features>(first + point) + lane * Width;
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      float values[Width];
      load(values, row + k * Width * row_lanes);
      for (int w = 0; w < Width; ++w) sums[k][w] += values[w];
    }
    ++run;
    const bool goes_on = point + 1 < points_of_group &&
                         __shfl_sync(group, own, first_of_group + (point + 1) % points_of_group) == cell;
    if (goes_on) continue;
    if (lane == 0) atomicAdd(v.count + cell, run);
    run = 0;
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      add<Width>(v.sums_of<Features>(cell) + lane * Width + k * Width * row_lanes, sums[k]);
      for (int w = 0; w < Width; ++w) sums[k][w] = 0;
    }
  }
}

void row_runs(launcher& to, const problem& p, const switches& s) {
  constexpr int features = 64;
  if (p.features != features) refuse_launch({"row_runs: expected 64 features"});
  auto* kernel = &add_row_runs<features, 1>;
  if (s.integer("width") == 2) kernel = &add_row_runs<features, 2>;
  if (s.integer("width") == 4) kernel = &add_row_runs<features, 4>;
  launch(to, kernel, grid_of(p, block_threads), dim3(block_threads), 0, view(p));
  divide_sums(to, p);
}

}  // namespace ablate::voxel_mean
