#include "oracles/hard_voxelize/reference.h"

#include <algorithm>
#include <vector>

namespace ablate::hard_voxelize {

void reference(const problem& p) {
  constexpr std::int32_t unseen = -1;
  std::vector<std::int32_t> voxel_of_cell(static_cast<std::size_t>(p.cells_per_cloud()));
  for (std::int64_t cloud = 0; cloud < p.batch; ++cloud) {
    const std::int64_t first_voxel = cloud * p.max_voxels;
    std::fill(voxel_of_cell.begin(), voxel_of_cell.end(), unseen);
    std::int32_t voxels = 0;
    for (std::int64_t i = 0; i < p.points_per_cloud; ++i) {
      const std::int64_t cell = cell_of(p, p.points + 3 * (cloud * p.points_per_cloud + i));
      if (cell < 0) continue;
      std::int32_t& voxel = voxel_of_cell[static_cast<std::size_t>(cell)];
      if (voxel == unseen) {
        if (voxels == p.max_voxels) continue;
        voxel = voxels++;
        p.voxel_cell[first_voxel + voxel] = static_cast<std::int32_t>(cell);
        p.stored[first_voxel + voxel] = 0;
        std::fill_n(p.members + (first_voxel + voxel) * p.points_per_voxel, p.points_per_voxel, -1);
      }
      std::int32_t& rank = p.stored[first_voxel + voxel];
      if (rank == p.points_per_voxel) continue;
      p.members[(first_voxel + voxel) * p.points_per_voxel + rank++] = static_cast<std::int32_t>(i);
    }
    p.voxels[cloud] = voxels;
  }
}

}  // namespace ablate::hard_voxelize
