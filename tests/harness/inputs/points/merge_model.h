#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/inputs/points/box.h"

namespace ablate {

/// How many atomics a voxel count needs when points of one voxel are merged inside a group of consecutive
/// points first: the plain model that both the generators and the instrumented kernels are held against.

struct voxel_grid {
  std::array<float, 3> origin;  ///< meters
  std::array<float, 3> edge;    ///< meters
  std::array<int, 3> cells;     ///< their product must stay below 2^32 - 1
};

/// The box cut into `cells` along each axis.
inline voxel_grid cells_of(const box& domain, int cells) {
  voxel_grid grid{domain.origin, domain.size, {cells, cells, cells}};
  for (float& edge : grid.edge) edge /= static_cast<float>(cells);
  return grid;
}

constexpr std::uint32_t no_voxel = 0xffffffff;

/// The voxel of each point (x fastest), no_voxel for a point that is not finite or outside. fp32, IEEE
/// divide.
inline std::vector<std::uint32_t> voxel_indices(std::span<const float> xyz, const voxel_grid& grid) {
  std::vector<std::uint32_t> voxels(xyz.size() / 3, no_voxel);
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    std::uint32_t voxel = 0;
    bool valid = true;
    for (int axis = 2; axis >= 0; --axis) {
      const float cell = std::floor((xyz[3 * i + axis] - grid.origin[axis]) / grid.edge[axis]);
      valid = valid && cell >= 0 && cell < static_cast<float>(grid.cells[axis]);
      if (valid) voxel = voxel * grid.cells[axis] + static_cast<std::uint32_t>(cell);
    }
    if (valid) voxels[i] = voxel;
  }
  return voxels;
}

struct merge_count {
  std::int64_t points = 0;   ///< valid ones
  std::int64_t atomics = 0;  ///< on global memory
  double points_per_atomic() const { return static_cast<double>(points) / static_cast<double>(atomics); }
};

/// Perfect merging: one atomic for each distinct voxel of every `group` consecutive points. The whole cloud
/// as one group gives the number of occupied voxels.
inline merge_count merge_in_groups(std::span<const std::uint32_t> voxels, std::size_t group) {
  merge_count count;
  std::vector<std::uint32_t> distinct;
  for (std::size_t first = 0; first < voxels.size(); first += group) {
    const auto members = voxels.subspan(first, std::min(group, voxels.size() - first));
    distinct.assign(members.begin(), members.end());
    distinct.erase(std::remove(distinct.begin(), distinct.end(), no_voxel), distinct.end());
    count.points += static_cast<std::int64_t>(distinct.size());
    std::sort(distinct.begin(), distinct.end());
    count.atomics += std::unique(distinct.begin(), distinct.end()) - distinct.begin();
  }
  return count;
}

/// Points = hits + claims + conflicts; atomics = conflicts + flushes; flushes = claims.
struct table_merge : merge_count {
  std::int64_t hits = 0;       ///< points whose slot their voxel owns already
  std::int64_t conflicts = 0;  ///< points whose slot another voxel owns: one atomic each
  std::int64_t flushes = 0;    ///< claimed slots: one atomic each when the group ends
};

/// Merging in a direct-mapped table of 2^log2_entries slots (1 to 32), emptied after every `group`
/// consecutive points. The first voxel to come owns a slot; on a GPU threads race for it, so hits and
/// conflicts may differ a little.
inline table_merge merge_in_table(std::span<const std::uint32_t> voxels, std::size_t group,
                                  int log2_entries) {
  table_merge count;
  std::vector<std::uint32_t> owner(std::size_t{1} << log2_entries);
  for (std::size_t first = 0; first < voxels.size(); first += group) {
    std::fill(owner.begin(), owner.end(), no_voxel);
    for (const std::uint32_t voxel : voxels.subspan(first, std::min(group, voxels.size() - first))) {
      if (voxel == no_voxel) continue;
      ++count.points;
      std::uint32_t& slot = owner[(voxel * 2654435761u) >> (32 - log2_entries)];
      if (slot == voxel) {
        ++count.hits;
      } else if (slot == no_voxel) {
        slot = voxel;
        ++count.flushes;
      } else {
        ++count.conflicts;
      }
    }
  }
  count.atomics = count.conflicts + count.flushes;
  return count;
}

}  // namespace ablate
