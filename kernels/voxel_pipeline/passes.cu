// The pipeline in passes, one kernel each, voxels handed on through device memory: clear and tally, filter,
// features. Between passes, 16 bytes per voxel are written and read back, plus one byte for the filter's
// decision. Tallies use four atomics per point in device memory, one thread per point; or a block tallies a
// brick in shared memory and writes it out, so nothing is cleared before. Should move with shared memory: L2
// reductions, to none; launches, down by the one that clears. With `kernels=two` one kernel filters and
// computes features, so tallies are read once and decisions stay in registers: L2 and DRAM bytes, down.
#include "kernels/voxel_pipeline/launches.h"
#include "kernels/voxel_pipeline/steps.cuh"

namespace ablate::voxel_pipeline {

__device__ inline int thread_of_grid() { return static_cast<int>(blockIdx.x * block_threads + threadIdx.x); }

__global__ __launch_bounds__(block_threads) void clear_tallies(view v) {
  if (thread_of_grid() < v.voxels) v.tallies[thread_of_grid()] = tally{};
}

__global__ __launch_bounds__(block_threads) void tally_points(view v) {
  if (thread_of_grid() >= v.points) return;
  const located_point p(v, thread_of_grid());
  if (p.is_inside) p.add_to(v.tallies[v.voxel_at(p.cell[0], p.cell[1], p.cell[2])]);
}

__global__ __launch_bounds__(block_threads) void filter_voxels(view v) {
  const int i = thread_of_grid();
  if (i < v.voxels) v.kept[i] = is_kept(v, v.tallies[i]);
}

__global__ __launch_bounds__(block_threads) void extract_features(view v) {
  const int i = thread_of_grid();
  if (i < v.voxels) v.features[i] = v.kept[i] ? feature_of(v.tallies[i]) : feature{};
}

__global__ __launch_bounds__(block_threads) void filter_and_extract(view v) {
  const int i = thread_of_grid();
  if (i >= v.voxels) return;
  const tally of_voxel = v.tallies[i];
  v.features[i] = is_kept(v, of_voxel) ? feature_of(of_voxel) : feature{};
}

__global__ __launch_bounds__(block_threads) void tally_bricks(view v) {
  __shared__ tally tallies[voxels_of_brick];
  const brick mine(v);
  tally_brick(v, mine, tallies);
  for_voxels_of_brick([&](int i) { v.tallies[mine.voxel_in_grid(v, i)] = tallies[i]; });
}

void passes(launcher& to, const problem& p, const switches& s) {
  const dim3 of_voxels(blocks_for(p.voxels(), block_threads)), threads(block_threads);
  if (s.is_on("smem")) {
    launch(to, tally_bricks, dim3(static_cast<unsigned>(p.bricks())), threads, 0, view(p));
  } else {
    launch(to, clear_tallies, of_voxels, threads, 0, view(p));
    launch(to, tally_points, dim3(blocks_for(p.points, block_threads)), threads, 0, view(p));
  }
  if (s.word("kernels") == "two") return launch(to, filter_and_extract, of_voxels, threads, 0, view(p));
  launch(to, filter_voxels, of_voxels, threads, 0, view(p));
  launch(to, extract_features, of_voxels, threads, 0, view(p));
}

}  // namespace ablate::voxel_pipeline
