#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/voxel_pipeline/voxel_pipeline.h"

namespace ablate::voxel_pipeline {

constexpr int block_threads = 256;

/// The problem as a kernel argument.
struct view {
  const float* __restrict__ xyz;
  const unsigned* __restrict__ begin;
  feature* features;
  tally* tallies;
  std::uint8_t* kept;
  int points, voxels, cells, bricks_along, minimum;
  float origin[3], voxel[3];

  explicit view(const problem& p)
      : xyz(p.xyz),
        begin(p.begin),
        features(p.features),
        tallies(scratch(p).tallies),
        kept(scratch(p).kept),
        points(static_cast<int>(p.points)),
        voxels(static_cast<int>(p.voxels())),
        cells(p.cells),
        bricks_along(p.bricks_along()),
        minimum(p.minimum),
        origin{p.origin[0], p.origin[1], p.origin[2]},
        voxel{p.voxel[0], p.voxel[1], p.voxel[2]} {}

  __device__ int voxel_at(int x, int y, int z) const { return (z * cells + y) * cells + x; }
};

/// A point's voxel and its place in it, in steps.
struct located_point {
  bool is_inside = true;
  int cell[3], place[3];

  __device__ located_point(const view& v, int point) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const float coordinate = v.xyz[3 * point + axis];
      const float cells = __fdiv_rn(__fsub_rn(coordinate, v.origin[axis]), v.voxel[axis]);
      const float lower = floorf(cells);
      // Compared as floats: NaN fails here, but would convert to the integer 0.
      is_inside = is_inside && lower >= 0.0f && lower < static_cast<float>(v.cells);
      cell[axis] = static_cast<int>(lower);
      place[axis] = static_cast<int>((cells - lower) * steps_of_edge);
    }
  }

  /// Adds the point to a voxel's tally, in device or in shared memory.
  __device__ void add_to(tally& of_voxel) const {
    atomicAdd(&of_voxel.count, 1);
    atomicAdd(&of_voxel.x, place[0]);
    atomicAdd(&of_voxel.y, place[1]);
    atomicAdd(&of_voxel.z, place[2]);
  }
};

__device__ inline bool is_kept(const view& v, const tally& t) { return t.count >= v.minimum; }

__device__ inline feature feature_of(const tally& t) {
  const float count = static_cast<float>(t.count);
  const auto mean = [&](int sum) {
    return __fdiv_rn(static_cast<float>(sum), count) * (1.0f / steps_of_edge);
  };
  return {mean(t.x), mean(t.y), mean(t.z), t.count};
}

/// This block's brick.
struct brick {
  int x, y, z;  ///< its first voxel

  __device__ explicit brick(const view& v) {
    const int number = static_cast<int>(blockIdx.x);
    x = number % v.bricks_along * brick_edge;
    y = number / v.bricks_along % v.bricks_along * brick_edge;
    z = number / v.bricks_along / v.bricks_along * brick_edge;
  }
  /// Grid index of the brick's voxel i, x fastest.
  __device__ int voxel_in_grid(const view& v, int i) const {
    return v.voxel_at(x + i % brick_edge, y + i / brick_edge % brick_edge, z + i / brick_edge / brick_edge);
  }
  /// Index within the brick of a point's voxel.
  __device__ int voxel_in_brick(const located_point& p) const {
    return ((p.cell[2] - z) * brick_edge + p.cell[1] - y) * brick_edge + p.cell[0] - x;
  }
};

/// Calls `use(point)` for each point of this block's brick, one thread each.
template <class Use>
__device__ void for_points_of_brick(const view& v, Use use) {
  const int end = static_cast<int>(v.begin[blockIdx.x + 1]);
  for (int i = static_cast<int>(v.begin[blockIdx.x] + threadIdx.x); i < end; i += block_threads)
    use(located_point(v, i));
}

/// Calls `use(voxel of the brick)` for each voxel, one thread each.
template <class Use>
__device__ void for_voxels_of_brick(Use use) {
  for (int i = static_cast<int>(threadIdx.x); i < voxels_of_brick; i += block_threads) use(i);
}

/// Tallies the points of the block's brick in shared memory. Called by all threads; ends with a barrier.
__device__ inline void tally_brick(const view& v, const brick& mine, tally (&tallies)[voxels_of_brick]) {
  for_voxels_of_brick([&](int i) { tallies[i] = tally{}; });
  __syncthreads();
  for_points_of_brick(v, [&](const located_point& p) { p.add_to(tallies[mine.voxel_in_brick(p)]); });
  __syncthreads();
}

}  // namespace ablate::voxel_pipeline
