#include "oracles/hard_voxelize/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "oracles/hard_voxelize/reference.h"

namespace ablate::hard_voxelize {

namespace {

/// One cloud's outputs, with what its points imply for them.
struct cloud_outputs {
  const problem& p;
  std::int64_t cloud;
  std::int32_t voxels = p.voxels[cloud];
  const std::int32_t* voxel_cell = p.voxel_cell + cloud * p.max_voxels;
  const std::int32_t* stored = p.stored + cloud * p.max_voxels;
  const std::int32_t* members = p.members + cloud * p.max_voxels * p.points_per_voxel;

  std::string wrong(const std::string& what, std::int64_t expected, std::int64_t found) const {
    return fmt::format("cloud {}, {}: expected {}, found {}", cloud, what, expected, found);
  }
};

/// Compares the outputs with the oracle's.
std::optional<std::string> differs(const cloud_outputs& found) {
  const problem& p = found.p;
  std::vector<std::int32_t> cells(static_cast<std::size_t>(p.max_voxels)), stored(cells.size()),
      members(cells.size() * static_cast<std::size_t>(p.points_per_voxel));
  std::int32_t voxels = 0;
  problem one = p;
  one.batch = 1;
  one.points = p.points + 3 * found.cloud * p.points_per_cloud;
  one.voxel_cell = cells.data(), one.stored = stored.data(), one.members = members.data();
  one.voxels = &voxels;
  reference(one);
  if (found.voxels != voxels) return found.wrong("voxels", voxels, found.voxels);
  for (std::int32_t v = 0; v < voxels; ++v) {
    const auto at = static_cast<std::size_t>(v);
    if (found.voxel_cell[v] != cells[at])
      return found.wrong(fmt::format("cell of voxel {}", v), cells[at], found.voxel_cell[v]);
    if (found.stored[v] != stored[at])
      return found.wrong(fmt::format("stored points of voxel {}", v), stored[at], found.stored[v]);
    for (int k = 0; k < p.points_per_voxel; ++k) {
      const std::int64_t m = std::int64_t{v} * p.points_per_voxel + k;
      if (found.members[m] != members[static_cast<std::size_t>(m)])
        return found.wrong(fmt::format("member {} of voxel {}", k, v), members[static_cast<std::size_t>(m)],
                           found.members[m]);
    }
  }
  return std::nullopt;
}

/// Checks what holds for any choice of points and voxels.
std::optional<std::string> breaks_rules(const cloud_outputs& found) {
  const problem& p = found.p;
  std::vector<std::int32_t> points_in(static_cast<std::size_t>(p.cells_per_cloud())), cell_of_point;
  std::int32_t occupied = 0;
  for (std::int64_t i = 0; i < p.points_per_cloud; ++i) {
    const std::int64_t cell = cell_of(p, p.points + 3 * (found.cloud * p.points_per_cloud + i));
    cell_of_point.push_back(static_cast<std::int32_t>(cell));
    if (cell >= 0) occupied += points_in[static_cast<std::size_t>(cell)]++ == 0;
  }
  if (const auto voxels = std::min(occupied, p.max_voxels); found.voxels != voxels)
    return found.wrong("voxels", voxels, found.voxels);
  std::vector<bool> is_member(cell_of_point.size()), is_voxel(points_in.size());
  for (std::int32_t v = 0; v < found.voxels; ++v) {
    const std::int32_t cell = found.voxel_cell[v];
    const auto at = static_cast<std::size_t>(cell);
    if (cell < 0 || cell >= p.cells_per_cloud() || points_in[at] == 0)
      return fmt::format("cloud {}, cell of voxel {}: expected one with points, found {}", found.cloud, v,
                         cell);
    if (is_voxel[at])
      return fmt::format("cloud {}, cell of voxel {}: expected no cell of another voxel, found {}",
                         found.cloud, v, cell);
    is_voxel[at] = true;
    const std::int32_t stored = std::min(points_in[at], p.points_per_voxel);
    if (found.stored[v] != stored)
      return found.wrong(fmt::format("stored points of voxel {}", v), stored, found.stored[v]);
    for (int k = 0; k < p.points_per_voxel; ++k) {
      const std::int32_t member = found.members[std::int64_t{v} * p.points_per_voxel + k];
      const auto place = [&] { return fmt::format("member {} of voxel {}", k, v); };
      if (k >= stored) {
        if (member != -1) return found.wrong(place(), -1, member);
        continue;
      }
      const bool is_point = member >= 0 && member < p.points_per_cloud;
      if (!is_point || cell_of_point[static_cast<std::size_t>(member)] != cell)
        return fmt::format("cloud {}, {}: expected a point in cell {}, found {}", found.cloud, place(), cell,
                           member);
      if (is_member[static_cast<std::size_t>(member)])
        return fmt::format("cloud {}, {}: expected no point for the second time, found {}", found.cloud,
                           place(), member);
      is_member[static_cast<std::size_t>(member)] = true;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> violated(const problem& p) {
  for (std::int64_t cloud = 0; cloud < p.batch; ++cloud) {
    const cloud_outputs found{p, cloud};
    if (auto why = p.kept == choice::first ? differs(found) : breaks_rules(found)) return why;
  }
  return std::nullopt;
}

}  // namespace ablate::hard_voxelize
