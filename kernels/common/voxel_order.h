#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/common/launcher.h"
#include "kernels/common/memory_cutter.h"
#include "kernels/common/point_grid.h"

namespace ablate {

/// The points of all clouds, ordered by voxel; within a voxel, in their original order. Points in no cell
/// come last, in the cell past the last.
struct voxel_order {
  const std::uint32_t* cells;  ///< [points]: ascending, among the cells of all clouds
  const std::int32_t* points;  ///< [points]: among the points of all clouds
};

/// Working memory of `order_by_voxel`.
struct voxel_order_memory {
  std::uint32_t* cells[2];
  std::int32_t* points[2];
  std::byte* temporary;
  std::size_t temporary_bytes;

  void cut(memory_cutter&, const point_grid&);
};

/// A stable radix sort of the points' cells, on only the bits they use, with the points' 32-bit numbers.
/// Points and cells of all clouds: below 2^31 each, and at least one point.
voxel_order order_by_voxel(launcher&, const point_grid&, const voxel_order_memory&);

}  // namespace ablate
