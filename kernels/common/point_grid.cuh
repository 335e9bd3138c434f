#pragma once

#include <limits>

#include "kernels/common/divisor.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/point_grid.h"

namespace ablate {

/// The coordinates of a missing point: NaN, in no cell.
constexpr float no_coordinate = std::numeric_limits<float>::quiet_NaN();

/// Clouds and their grids as passed to a kernel; blockIdx.y is the cloud.
struct point_grid_view {
  const float* points;
  long long points_per_cloud;
  long long cells_per_cloud;
  float origin[3];
  divisor voxel[3];
  float outside[3];  ///< from the origin, the first float below it that is not in cell 0
  float end[3];      ///< `cells` as kernels compare it
  int cells[3];

  explicit point_grid_view(const point_grid& g)
      : points(g.points),
        points_per_cloud(g.points_per_cloud),
        cells_per_cloud(g.cells_per_cloud()),
        origin{g.origin[0], g.origin[1], g.origin[2]},
        voxel{divisor(g.voxel[0]), divisor(g.voxel[1]), divisor(g.voxel[2])},
        outside{voxel[0].nearest_below_zero(), voxel[1].nearest_below_zero(), voxel[2].nearest_below_zero()},
        end{static_cast<float>(g.cells[0]), static_cast<float>(g.cells[1]), static_cast<float>(g.cells[2])},
        cells{g.cells[0], g.cells[1], g.cells[2]} {}

  /// The points of this block's cloud.
  __device__ const float* cloud_points() const { return points + 3 * blockIdx.y * points_per_cloud; }

  /// Whether a coordinate is inside the grid on an axis; if so, `c` is its cell there, floor((coordinate −
  /// origin) / voxel), rounded to nearest: it is not negative, so conversion to an integer gives the floor.
  /// NaN fails both comparisons.
  __device__ bool locate_on(int axis, float coordinate, int& c) const {
    const float from_origin = __fsub_rn(coordinate, origin[axis]);
    const float in_cells = voxel[axis].divide(from_origin);
    c = static_cast<int>(in_cells);
    return from_origin > outside[axis] && in_cells < end[axis];
  }
  /// Whether a point is inside the grid; if so, `c` is its cell.
  __device__ bool locate_point(float x, float y, float z, int (&c)[3]) const {
    // All three at once: a branch for each would cost more than it saves.
    const bool inside_x = locate_on(0, x, c[0]), inside_y = locate_on(1, y, c[1]),
               inside_z = locate_on(2, z, c[2]);
    return inside_x && inside_y && inside_z;
  }

  /// Index of a point's cell in its cloud's grid, x fastest, or −1.
  __device__ int cell_of(float x, float y, float z) const {
    int c[3];
    return locate_point(x, y, z, c) ? (c[2] * cells[1] + c[1]) * cells[0] + c[0] : -1;
  }

  /// Cell of point `i` of a cloud, read as three scalars; −1 past the end.
  __device__ int cell_of_point(const float* cloud, long long i) const {
    if (i >= points_per_cloud) return -1;
    return cell_of(cloud[3 * i], cloud[3 * i + 1], cloud[3 * i + 2]);
  }

  /// Index of a cell of this block's cloud among the cells of all clouds; of −1, −1.
  __device__ int in_batch(int cell) const {
    return cell < 0 ? -1 : static_cast<int>(blockIdx.y * cells_per_cloud) + cell;
  }
};

/// Points per block of 256 threads that share a table: the more points, the better the table is amortized, as
/// long as every multiprocessor still gets a block.
inline int points_per_block_for(const launcher& to, const point_grid& g) {
  for (const int choice : {8192, 4096, 1024})
    if (g.batch * ((g.points_per_cloud + choice - 1) / choice) >= to.device().multiprocessors) return choice;
  return 256;
}

/// Blocks that take `points_per_block` points of one cloud each, by clouds.
inline dim3 grid_of(const point_grid& g, long long points_per_block) {
  return dim3(blocks_for(g.points_per_cloud, points_per_block), static_cast<unsigned>(g.batch));
}

}  // namespace ablate
