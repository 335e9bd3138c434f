#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/point_grid.h"

namespace ablate::voxel_mean {

/// The mean of the features of the points in each cell, and their number (docs/operations/voxel_mean.md;
/// torch-scatter's scatter_mean onto a grid):
///   count[cloud][cell] = number of points in the cell
///   mean[cloud][cell][f] = sum of feature f of these points / count, 0 where there are none.
struct problem : point_grid {
  int features = 4;                       ///< per point: 1, 4, 8 or 64
  const float* point_features = nullptr;  ///< [batch][points_per_cloud][features]

  float* mean = nullptr;          ///< [batch][cells][features]
  std::int32_t* count = nullptr;  ///< [batch][cells]
  void* scratch = nullptr;        ///< scratch_bytes(problem)
  void* found_cells = nullptr;    ///< found_cells_bytes(problem)
  bool clears_grid = false;       ///< the region starts by clearing (with a kernel); else all is already zero
};

/// Scratch memory of the sorting variant, bytes.
std::size_t scratch_bytes(const problem&);

/// Scratch memory of the variants whose blocks own cells: an int32 a point, in whole vectors of four; bytes.
std::size_t found_cells_bytes(const problem&);

}  // namespace ablate::voxel_mean
