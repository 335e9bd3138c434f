#include "oracles/voxelize/reference.h"

#include <cmath>
#include <cstring>

namespace ablate::voxelize {

std::int64_t cell_of(const problem& p, const float point[3]) {
  std::int64_t cell = 0;
  const std::array<int, 3> stride = p.stride();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const float from_origin = point[axis] - p.origin[axis];
    const float c =
        std::floor(p.by_reciprocal ? from_origin * (1.0f / p.voxel[axis]) : from_origin / p.voxel[axis]);
    // Written so that NaN fails; converting it to an integer would be undefined here and give cell 0 on a
    // GPU.
    if (!(c >= 0.0f && c < static_cast<float>(p.cells[axis]))) return -1;
    cell += stride[axis] * static_cast<std::int64_t>(c);
  }
  return cell;
}

namespace {

template <class Visit>
void for_each_valid_point(const problem& p, const float* points, Visit visit) {
  for (int cloud = 0; cloud < p.batch; ++cloud) {
    for (std::int64_t i = 0; i < p.points_per_cloud; ++i) {
      const std::int64_t cell = cell_of(p, points + 3 * (cloud * p.points_per_cloud + i));
      if (cell >= 0) visit(cloud * p.cells_per_cloud() + cell);
    }
  }
}

}  // namespace

void reference(const problem& p, const float* points, void* grid) {
  if (p.clears_grid) std::memset(grid, 0, sizeof(std::int32_t) * p.all_cells());
  auto* integers = static_cast<std::int32_t*>(grid);
  auto* floats = static_cast<float*>(grid);
  switch (p.mode) {
    case counter::int32:
      for_each_valid_point(p, points, [&](std::int64_t cell) { integers[cell] += 1; });
      break;
    case counter::float32:
      for_each_valid_point(p, points, [&](std::int64_t cell) { floats[cell] += 1.0f; });
      break;
    case counter::occupancy:
      for_each_valid_point(p, points, [&](std::int64_t cell) { integers[cell] = 1; });
      break;
  }
}

}  // namespace ablate::voxelize
