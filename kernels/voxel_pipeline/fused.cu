// The pipeline in one kernel, one block per brick: it clears, tallies, filters and extracts, with block
// barriers instead of launches.
//
// The brick's voxels are kept in shared memory (8 KiB): in device memory, points are read and features
// written, nothing else. Or they stay in device memory, to tell fusion and shared memory apart: atomics go to
// L2, and tallies are read back from there. Should move: DRAM bytes written, from twice the features' to
// once; against `passes`, launches.
#include "kernels/voxel_pipeline/launches.h"
#include "kernels/voxel_pipeline/steps.cuh"

namespace ablate::voxel_pipeline {

__global__ __launch_bounds__(block_threads) void process_bricks_in_shared_memory(view v) {
  __shared__ tally tallies[voxels_of_brick];
  const brick mine(v);
  tally_brick(v, mine, tallies);
  for_voxels_of_brick([&](int i) {
    v.features[mine.voxel_in_grid(v, i)] = is_kept(v, tallies[i]) ? feature_of(tallies[i]) : feature{};
  });
}

/// As the atomics left it: read from L2, bypassing L1.
__device__ inline tally read_back(const tally& of_voxel) {
  const int4 four = __ldcg(reinterpret_cast<const int4*>(&of_voxel));
  return {four.x, four.y, four.z, four.w};
}

__global__ __launch_bounds__(block_threads) void process_bricks_in_device_memory(view v) {
  const brick mine(v);
  for_voxels_of_brick([&](int i) { v.tallies[mine.voxel_in_grid(v, i)] = tally{}; });
  __syncthreads();
  for_points_of_brick(
      v, [&](const located_point& p) { p.add_to(v.tallies[v.voxel_at(p.cell[0], p.cell[1], p.cell[2])]); });
  __threadfence_block();
  __syncthreads();
  for_voxels_of_brick([&](int i) {
    const int voxel = mine.voxel_in_grid(v, i);
    const tally of_voxel = read_back(v.tallies[voxel]);
    v.features[voxel] = is_kept(v, of_voxel) ? feature_of(of_voxel) : feature{};
  });
}

void fused(launcher& to, const problem& p, const switches& s) {
  launch(to, s.is_on("smem") ? process_bricks_in_shared_memory : process_bricks_in_device_memory,
         dim3(static_cast<unsigned>(p.bricks())), dim3(block_threads), 0, view(p));
}

}  // namespace ablate::voxel_pipeline
