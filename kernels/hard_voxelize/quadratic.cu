// What mmcv's deterministic path does: each point compares its cell with those of all points before it, up to
// the K-th of its own, which gives its rank and the first point of its voxel; then one thread numbers the
// voxels, point after point; then the points are stored. Reads grow with the square of the number of points,
// though neighbors read the same ones at once; the numbering is one long chain of dependent reads. Should
// move: loads, to thousands per point; active SMs in the second kernel, to one per cloud.
#include "kernels/hard_voxelize/launches.h"
#include "kernels/hard_voxelize/phases.h"
#include "kernels/hard_voxelize/view.cuh"

namespace ablate::hard_voxelize {

constexpr int no_voxel = -1;

__global__ __launch_bounds__(block_threads) void store_cells(view v) {
  const long long i = point_of_thread();
  if (i < v.points_per_cloud) v.memory.slot_of[v.in_all_points(i)] = v.cell_of_point(v.cloud_points(), i);
}

__global__ __launch_bounds__(block_threads) void scan_points_before(view v) {
  const long long i = point_of_thread();
  if (i >= v.points_per_cloud) return;
  const int* const cells = v.memory.slot_of + v.in_all_points(0);
  const int cell = cells[i];
  if (cell < 0) return;
  int rank = 0;
  long long first = i;
  for (long long j = 0; j < i && rank < v.points_per_voxel; ++j)
    if (cells[j] == cell && rank++ == 0) first = j;
  v.memory.rank_of[v.in_all_points(i)] = rank;
  v.memory.first_of[v.in_all_points(i)] = static_cast<int>(first);
}

/// One thread per cloud. `number_at` gets the number of the voxel that starts at a point.
__global__ void number_one_by_one(view v) {
  const long long begin = v.in_all_points(0);
  int voxels = 0;
  for (long long i = 0; i < v.points_per_cloud; ++i) {
    const int cell = v.memory.slot_of[begin + i];
    if (cell < 0) continue;
    const int rank = v.memory.rank_of[begin + i];
    int number = no_voxel;
    if (rank == 0) {
      if (voxels < v.max_voxels) {
        number = voxels++;
        v.voxel_cell[v.row(blockIdx.y, number)] = cell;
        v.stored[v.row(blockIdx.y, number)] = 1;
      }
      v.memory.number_at[begin + i] = number;
    } else if (rank < v.points_per_voxel) {
      number = v.memory.number_at[begin + v.memory.first_of[begin + i]];
      if (number != no_voxel) v.stored[v.row(blockIdx.y, number)] += 1;
    }
  }
  v.voxels[blockIdx.y] = voxels;
}

__global__ __launch_bounds__(block_threads) void store_ranked(view v) {
  const long long i = point_of_thread();
  if (i >= v.points_per_cloud) return;
  const long long point = v.in_all_points(i);
  if (v.memory.slot_of[point] < 0) return;
  const int rank = v.memory.rank_of[point];
  const int number = v.memory.number_at[v.in_all_points(v.memory.first_of[point])];
  if (rank < v.points_per_voxel && number != no_voxel)
    v.members[v.row(blockIdx.y, number) * v.points_per_voxel + rank] = static_cast<int>(i);
}

void quadratic(launcher& to, const problem& p, const switches&) {
  if (p.all_points() == 0) return store_no_voxels(to, p);
  const dim3 grid = grid_of(p, block_threads), block(block_threads);
  fill(to, {{p.members, p.all_members(), ~0u}});
  launch(to, store_cells, grid, block, 0, view(p));
  launch(to, scan_points_before, grid, block, 0, view(p));
  launch(to, number_one_by_one, dim3(1, grid.y), dim3(1), 0, view(p));
  launch(to, store_ranked, grid, block, 0, view(p));
}

}  // namespace ablate::hard_voxelize
