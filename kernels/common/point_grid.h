#pragma once

#include <array>
#include <cstdint>

namespace ablate {

/// Clouds of points and the grid of cells of each. A point p is in the cell
///   c = floor((p − origin) / voxel) per axis, fp32 round to nearest,
/// where 0 ≤ c < cells on every axis; every other point, NaN included, is in none
/// (docs/operations/voxelize.md, "What is computed").
struct point_grid {
  const float* points = nullptr;  ///< [batch][points_per_cloud][3], x y z interleaved, meters
  std::int64_t points_per_cloud = 0;
  int batch = 1;                  ///< clouds, each with a grid of its own; at most 65535
  std::array<float, 3> origin{};  ///< meters
  std::array<float, 3> voxel{};   ///< edge of a cell along x, y, z; meters
  std::array<int, 3> cells{};     ///< along x, y, z; the product is below 2^31

  std::int64_t cells_per_cloud() const { return static_cast<std::int64_t>(cells[0]) * cells[1] * cells[2]; }
  std::int64_t all_points() const { return batch * points_per_cloud; }
  std::int64_t all_cells() const { return batch * cells_per_cloud(); }
};

/// Index of the cell of one point in its cloud's grid, x fastest, or −1. fp32, round to nearest, no
/// contraction.
std::int64_t cell_of(const point_grid&, const float point[3]);

/// The same for point `i` of all clouds on the host, as an index into the cells of all clouds.
std::int64_t cell_in_batch(const point_grid&, const float* points, std::int64_t i);

}  // namespace ablate
