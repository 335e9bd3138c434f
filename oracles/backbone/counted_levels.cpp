#include "oracles/backbone/counted_levels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "oracles/kernel_map/reference.h"

namespace ablate::backbone {
namespace {

/// Instance, x, y, z.
using voxel = std::array<std::int32_t, 4>;

std::vector<voxel> voxels_of(const std::vector<std::int32_t>& cells, const std::vector<std::uint32_t>& ends) {
  std::vector<voxel> voxels;
  std::int32_t instance = 0;
  for (std::size_t i = 0; 3 * i < cells.size(); ++i) {
    while (i >= ends[static_cast<std::size_t>(instance)]) ++instance;
    voxels.push_back({instance, cells[3 * i], cells[3 * i + 1], cells[3 * i + 2]});
  }
  return voxels;
}

std::vector<std::int64_t> list_ends_of(const std::vector<voxel>& voxels, int kernel) {
  kernel_map::checked_problem p;
  p.rows = p.outs = static_cast<std::int64_t>(voxels.size());
  p.kernel = {kernel, kernel, kernel};
  p.coordinates = p.out_coordinates = voxels.empty() ? nullptr : voxels.front().data();
  const auto offsets = static_cast<std::size_t>(p.offsets());
  std::vector<std::int64_t> ends(offsets + 1);
  std::vector<std::uint64_t> digest(offsets);
  p.ends = ends.data();
  p.digest = digest.data();
  kernel_map::reference(p);
  return ends;
}

void coarsen(std::vector<voxel>& voxels) {
  for (voxel& v : voxels)
    for (std::size_t axis = 1; axis < v.size(); ++axis) v[axis] >>= 1;
  std::ranges::sort(voxels);
  voxels.erase(std::unique(voxels.begin(), voxels.end()), voxels.end());
}

std::vector<std::uint32_t> ends_of(const std::vector<voxel>& voxels, std::size_t instances) {
  std::vector<std::uint32_t> ends(instances);
  for (const voxel& v : voxels) ++ends[static_cast<std::size_t>(v[0])];
  for (std::size_t k = 1; k < instances; ++k) ends[k] += ends[k - 1];
  return ends;
}

}  // namespace

grid_levels grid_levels_of(const std::vector<std::int32_t>& cells, const std::vector<std::uint32_t>& ends,
                           int levels) {
  grid_levels found;
  const auto greatest = std::ranges::max_element(cells);
  // Each pooling takes a bit.
  found.depth = levels - 1;
  if (greatest != cells.end())
    found.depth =
        std::max(found.depth, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(*greatest))));
  std::vector<voxel> voxels = voxels_of(cells, ends);
  found.stem_list_ends = list_ends_of(voxels, stem_kernel);
  for (int l = 0; l < levels; ++l) {
    if (l > 0) coarsen(voxels);
    found.of.push_back({ends_of(voxels, ends.size()), list_ends_of(voxels, position_kernel)});
  }
  return found;
}

}  // namespace ablate::backbone
