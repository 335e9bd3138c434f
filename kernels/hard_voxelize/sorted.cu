// Exact, by sorting: points are sorted by voxel (stable, over the bits of a cell's index): a voxel is a run,
// its first point the first of the run, and a point's rank its place in the run. The first points, marked in
// the order of the points, are numbered by a prefix sum; then a group of 8 lanes owns 8 neighboring places of
// the order and copies the first K points of each run that starts there, padding included, as a row. No
// atomics, no clearing; the time does not depend on the order of the points or on how full voxels are.
#include "kernels/hard_voxelize/launches.h"
#include "kernels/hard_voxelize/phases.h"
#include "kernels/hard_voxelize/view.cuh"

namespace ablate::hard_voxelize {

__device__ inline bool begins_run(const voxel_order& order, long long place) {
  return place == 0 || order.cells[place - 1] != order.cells[place];
}

__global__ __launch_bounds__(block_threads) void mark_first_points(view v, voxel_order order,
                                                                   long long points, unsigned outside) {
  const long long place = point_of_thread();
  if (place >= points) return;
  v.memory.begins[order.points[place]] = order.cells[place] != outside && begins_run(order, place) ? 1 : 0;
}

__global__ __launch_bounds__(block_threads) void store_runs(view v, voxel_order order, long long points,
                                                            unsigned outside) {
  constexpr int lanes = 8;
  const int lane = static_cast<int>(threadIdx.x % lanes);
  const long long place = point_of_thread(), first = place - lane;
  const int shift = static_cast<int>(threadIdx.x % warp_lanes) - lane;
  const unsigned group = ((1u << lanes) - 1) << shift;

  if (place < v.clouds) v.voxels[place] = voxels_of(v, place);
  const bool begins = place < points && order.cells[place] != outside && begins_run(order, place);
  unsigned heads = (__ballot_sync(whole_warp, begins) & group) >> shift;
  for (; heads != 0; heads &= heads - 1) {
    const long long head = first + __ffs(static_cast<int>(heads)) - 1;
    const unsigned cell = order.cells[head];
    const auto cloud = static_cast<unsigned>(cell / v.cells_per_cloud);
    const long long cloud_begin = cloud * v.points_per_cloud;
    const int number = v.memory.number_at[order.points[head]] - v.memory.number_at[cloud_begin];
    if (number >= v.max_voxels) continue;
    const long long row = v.row(cloud, number);
    int stored = 0;
    for (int k = lane; k < v.points_per_voxel; k += lanes) {
      const long long at = head + k;
      const bool is_member = at < points && order.cells[at] == cell;
      v.members[row * v.points_per_voxel + k] =
          is_member ? static_cast<int>(order.points[at] - cloud_begin) : -1;
      stored += is_member;
    }
    for (int offset = lanes / 2; offset > 0; offset /= 2)
      stored += __shfl_xor_sync(group, stored, offset, lanes);
    if (lane != 0) continue;
    v.voxel_cell[row] = static_cast<int>(cell - cloud * v.cells_per_cloud);
    v.stored[row] = stored;
  }
}

void sorted(launcher& to, const problem& p, const switches&) {
  if (p.all_points() == 0) return store_no_voxels(to, p);
  const voxel_order order = order_by_voxel(to, p, scratch(p).order);
  const dim3 grid(blocks_for(p.all_points(), block_threads)), block(block_threads);
  const auto outside = static_cast<unsigned>(p.all_cells());
  launch(to, mark_first_points, grid, block, 0, view(p), order, p.all_points(), outside);
  number_voxels(to, p);
  launch(to, store_runs, grid, block, 0, view(p), order, p.all_points(), outside);
}

}  // namespace ablate::hard_voxelize
