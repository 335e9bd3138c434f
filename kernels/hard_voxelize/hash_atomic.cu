// The plain form, as spconv does it on a GPU: every point inserts its cell into a hash table; every occupied
// slot draws the next number from one counter; every point looks its cell up again, draws the next place in
// its voxel with a returning atomic, and is stored if that is below K; counts beyond K are clamped. Which
// points and voxels are kept depends on arrival order. Should move: returning atomics, 2 per point, and those
// of one voxel queue at one address.
#include "kernels/hard_voxelize/launches.h"
#include "kernels/hard_voxelize/phases.h"
#include "kernels/hard_voxelize/view.cuh"

namespace ablate::hard_voxelize {

__global__ __launch_bounds__(block_threads) void insert_cells(view v, hash_table_slots slots) {
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), point_of_thread()));
  if (cell >= 0) slots.claim(cell);
}

__global__ __launch_bounds__(block_threads) void number_slots(view v, hash_table_slots slots) {
  const long long slot = point_of_thread();
  if (slot > slots.mask) return;
  const int cell = slots.keys[slot];
  if (cell < 0) return;
  const auto cloud = static_cast<unsigned>(cell / v.cells_per_cloud);
  const int number = atomicAdd(v.memory.found_voxels + cloud, 1);
  v.memory.number[slot] = number;
  if (number < v.max_voxels)
    v.voxel_cell[v.row(cloud, number)] = static_cast<int>(cell - cloud * v.cells_per_cloud);
}

__global__ __launch_bounds__(block_threads) void store_as_they_come(view v, hash_table_slots slots) {
  const long long i = point_of_thread();
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  if (cell < 0) return;
  const int number = v.memory.number[slots.find(cell)];
  if (number >= v.max_voxels) return;
  const long long row = v.row(blockIdx.y, number);
  const int place = atomicAdd(v.stored + row, 1);
  if (place < v.points_per_voxel) v.members[row * v.points_per_voxel + place] = static_cast<int>(i);
}

__global__ __launch_bounds__(block_threads) void cut_counts(view v) {
  const int number = static_cast<int>(point_of_thread());
  const int voxels = min(v.memory.found_voxels[blockIdx.y], v.max_voxels);
  if (number == 0) v.voxels[blockIdx.y] = voxels;
  if (number >= voxels) return;
  int& stored = v.stored[v.row(blockIdx.y, number)];
  stored = min(stored, v.points_per_voxel);
}

void hash_atomic(launcher& to, const problem& p, const switches&) {
  if (p.all_points() == 0) return store_no_voxels(to, p);
  const dim3 grid = grid_of(p, block_threads), block(block_threads);
  const hash_table_slots slots(p);
  fill(to, {hash_table_slots::cleared(p),
            {scratch(p).found_voxels, p.batch, 0},
            {p.members, p.all_members(), ~0u},
            {p.stored, std::int64_t{p.batch} * p.max_voxels, 0}});
  launch(to, insert_cells, grid, block, 0, view(p), slots);
  launch(to, number_slots, dim3(blocks_for(hash_slots(p), block_threads)), block, 0, view(p), slots);
  launch(to, store_as_they_come, grid, block, 0, view(p), slots);
  launch(to, cut_counts, dim3(blocks_for(p.max_voxels, block_threads), grid.y), block, 0, view(p));
}

}  // namespace ablate::hard_voxelize
