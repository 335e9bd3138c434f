#include "oracles/voxel_pipeline/reference.h"

#include <cmath>

#include "oracles/voxelize/reference.h"

namespace ablate::voxel_pipeline {

std::int64_t voxel_of(const problem& p, const float point[3]) {
  voxelize::problem grid;
  grid.origin = p.origin;
  grid.voxel = p.voxel;
  grid.cells = {p.cells, p.cells, p.cells};
  return voxelize::cell_of(grid, point);
}

std::int64_t brick_of(const problem& p, std::int64_t voxel) {
  const std::int64_t x = voxel % p.cells, y = voxel / p.cells % p.cells, z = voxel / p.cells / p.cells;
  return (z / brick_edge * p.bricks_along() + y / brick_edge) * p.bricks_along() + x / brick_edge;
}

sorted_points by_brick(const problem& p, const std::vector<float>& xyz) {
  const std::size_t points = xyz.size() / 3, bricks = static_cast<std::size_t>(p.bricks());
  std::vector<std::size_t> bins(points);
  std::vector<std::uint32_t> ends(bricks + 1);  // at first the counts; points outside come last
  for (std::size_t i = 0; i < points; ++i) {
    const std::int64_t voxel = voxel_of(p, &xyz[3 * i]);
    bins[i] = voxel < 0 ? bricks : static_cast<std::size_t>(brick_of(p, voxel));
    ++ends[bins[i]];
  }
  sorted_points sorted{std::vector<float>(xyz.size()), std::vector<std::uint32_t>(bricks + 1)};
  for (std::size_t b = 1; b <= bricks; ++b) sorted.begin[b] = sorted.begin[b - 1] + ends[b - 1];
  std::vector<std::uint32_t> next = sorted.begin;
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t to = 3 * std::size_t{next[bins[i]]++};
    for (std::size_t axis = 0; axis < 3; ++axis) sorted.xyz[to + axis] = xyz[3 * i + axis];
  }
  return sorted;
}

namespace {

/// Steps from the voxel's lower face.
std::int32_t place_in_voxel(float coordinate, float origin, float edge) {
  const float cells = (coordinate - origin) / edge;
  return static_cast<std::int32_t>((cells - std::floor(cells)) * static_cast<float>(steps_of_edge));
}

}  // namespace

void reference(const problem& p) {
  std::vector<tally> tallies(static_cast<std::size_t>(p.voxels()));
  for (std::int64_t i = 0; i < p.points; ++i) {
    const float* const point = p.xyz + 3 * i;
    const std::int64_t voxel = voxel_of(p, point);
    if (voxel < 0) continue;
    tally& of_voxel = tallies[static_cast<std::size_t>(voxel)];
    of_voxel.count += 1;
    of_voxel.x += place_in_voxel(point[0], p.origin[0], p.voxel[0]);
    of_voxel.y += place_in_voxel(point[1], p.origin[1], p.voxel[1]);
    of_voxel.z += place_in_voxel(point[2], p.origin[2], p.voxel[2]);
  }
  for (std::size_t v = 0; v < tallies.size(); ++v) {
    const tally& t = tallies[v];
    const auto mean = [&](std::int32_t sum) {
      return static_cast<float>(sum) / static_cast<float>(t.count) / static_cast<float>(steps_of_edge);
    };
    p.features[v] = t.count < p.minimum ? feature{} : feature{mean(t.x), mean(t.y), mean(t.z), t.count};
  }
}

}  // namespace ablate::voxel_pipeline
