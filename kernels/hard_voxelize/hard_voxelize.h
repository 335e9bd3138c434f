#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/point_grid.h"

namespace ablate::hard_voxelize {

/// Which points are kept when there is no room for all.
enum class choice {
  first,  ///< the first K points of each of the first V voxels, in the order of the points
  any     ///< any K points of any V voxels, in any order
};

/// Up to K points of each of up to V voxels of a cloud (docs/operations/hard_voxelize.md; "hard voxelization"
/// of mmcv, "PointToVoxel" of spconv). Voxels are numbered from 0; of voxel v
///   voxel_cell[cloud][v]      is its cell,
///   stored[cloud][v]          = min(points in the cell, K),
///   members[cloud][v][0 … K)  the numbers of its points in their cloud, `stored` of them, then −1.
/// voxels[cloud] = min(occupied cells, V); rows after that many voxels are unspecified. With choice::first,
/// voxels are numbered by their first point, and members ascend.
struct problem : point_grid {
  int points_per_voxel = 35;  ///< K
  int max_voxels = 20000;     ///< V, per cloud
  choice kept = choice::any;

  std::int32_t* voxel_cell = nullptr;  ///< [batch][V]: in the cloud's grid, x fastest
  std::int32_t* stored = nullptr;      ///< [batch][V]
  std::int32_t* members = nullptr;     ///< [batch][V][K]
  std::int32_t* voxels = nullptr;      ///< [batch]
  void* scratch = nullptr;             ///< scratch_bytes(problem)

  std::int64_t all_members() const { return std::int64_t{batch} * max_voxels * points_per_voxel; }
};

/// Scratch memory of the variant that needs the most, bytes.
std::size_t scratch_bytes(const problem&);

}  // namespace ablate::hard_voxelize
