#include "kernels/common/point_grid.h"

#include <cmath>

namespace ablate {

std::int64_t cell_of(const point_grid& g, const float point[3]) {
  std::int64_t cell = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const float c = std::floor((point[axis] - g.origin[axis]) / g.voxel[axis]);
    // Written so that NaN fails; converting it to an integer would be undefined here and give cell 0 on a
    // GPU.
    if (!(c >= 0.0f && c < static_cast<float>(g.cells[axis]))) return -1;
    cell = cell * g.cells[axis] + static_cast<std::int64_t>(c);
  }
  return cell;
}

std::int64_t cell_in_batch(const point_grid& g, const float* points, std::int64_t i) {
  const std::int64_t cell = cell_of(g, points + 3 * i);
  return cell < 0 ? -1 : i / g.points_per_cloud * g.cells_per_cloud() + cell;
}

}  // namespace ablate
