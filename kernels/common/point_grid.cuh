#pragma once

#include "kernels/common/launch.cuh"
#include "kernels/common/point_grid.h"

namespace ablate {

/// Clouds and their grids as a kernel takes them; blockIdx.y is the cloud.
struct point_grid_view {
  const float* points;
  long long points_per_cloud;
  long long cells_per_cloud;
  float origin[3], voxel[3];
  int cells[3];

  explicit point_grid_view(const point_grid& g)
      : points(g.points),
        points_per_cloud(g.points_per_cloud),
        cells_per_cloud(g.cells_per_cloud()),
        origin{g.origin[0], g.origin[1], g.origin[2]},
        voxel{g.voxel[0], g.voxel[1], g.voxel[2]},
        cells{g.cells[0], g.cells[1], g.cells[2]} {}

  /// The points of this block's cloud.
  __device__ const float* cloud_points() const { return points + 3 * blockIdx.y * points_per_cloud; }

  /// Whether a place, given in cells from the origin, lies inside of the grid; then `c` is its cell.
  __device__ bool locate(float x, float y, float z, int (&c)[3]) const {
    const float cx = floorf(x), cy = floorf(y), cz = floorf(z);
    // Compared as floats: NaN fails here, whereas converted to an integer it would be cell 0.
    const bool inside = cx >= 0.0f && cx < static_cast<float>(cells[0]) && cy >= 0.0f &&
                        cy < static_cast<float>(cells[1]) && cz >= 0.0f && cz < static_cast<float>(cells[2]);
    if (!inside) return false;
    c[0] = static_cast<int>(cx);
    c[1] = static_cast<int>(cy);
    c[2] = static_cast<int>(cz);
    return true;
  }
  /// The same of a point.
  __device__ bool locate_point(float x, float y, float z, int (&c)[3]) const {
    return locate(__fdiv_rn(__fsub_rn(x, origin[0]), voxel[0]), __fdiv_rn(__fsub_rn(y, origin[1]), voxel[1]),
                  __fdiv_rn(__fsub_rn(z, origin[2]), voxel[2]), c);
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

/// Points of a block of 256 threads that shares a table among them: the more of them, the better the table is
/// amortized, as long as every multiprocessor still gets a block.
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
