#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/point_grid.h"

namespace ablate::voxelize {

/// What a cell holds: the number of its points as int32 or float32 (exact up to 2^24, so both give the same
/// numbers), or whether it has any, as int32 0 or 1.
enum class counter { int32, float32, occupancy };

/// What the instrumented form of a variant counts, over all threads. A variant without one leaves `points` at
/// 0.
enum event {
  points,          ///< points read
  valid,           ///< points inside of the grid
  global_atomics,  ///< reductions sent to device memory
  hits,            ///< points merged into a voxel that their group (warp or block) already held
  conflicts,       ///< slots of the table that a point found held by another voxel
  fallbacks,       ///< points sent to device memory one by one because the table did not take them
  flushes,         ///< entries of the table that were written back
  group_voxels,    ///< voxels that were given an entry (block) or a leader (warp), summed over groups
  groups,          ///< warps or blocks that merged
  event_count
};

/// The parts of a variant that sorts, in order. A problem asks for those from `first` to `last`; a variant
/// that does not sort knows only the second.
enum class phase {
  sort,  ///< a key for each point, and the keys in ascending order
  count  ///< the grid
};

/// Counts the points of each cloud in each cell of a grid:
///   c = floor((p − origin) / voxel) per axis, fp32 round to nearest, and
///   grid[cloud][c.z][c.y][c.x] += 1 (or = 1, for occupancy) where 0 ≤ c < cells on every axis; all other
///   points, NaN included, are dropped.
/// Two choices are the problem's, since they change the grid: the other order of the axes in memory, and
/// (p − origin) · (1 / voxel) in the place of the division, which moves points that lie within rounding of a
/// boundary.
/// (Specification: voxelization §1; RoboCache's "voxelize_occupancy_kernel" with floor, half-open cells and
/// NaN settled.)
struct problem : point_grid {
  const float* points_soa = nullptr;  ///< [batch][3][points_per_cloud]: the same as structure of arrays
  counter mode = counter::int32;
  bool z_fastest = false;      ///< [batch][cells x][cells y][cells z] instead
  bool by_reciprocal = false;  ///< multiplies by 1 / voxel, rounded to fp32
  void* grid = nullptr;        ///< [batch][cells z][cells y][cells x] counters, 4 bytes each, x fastest
  bool clears_grid = false;    ///< the region starts with clearing the grid (by a kernel)
  phase first = phase::sort, last = phase::count;
  void* scratch = nullptr;               ///< sort_scratch_bytes(problem); of variants that sort
  void* bins = nullptr;                  ///< bin_bytes(problem); of variants that deal points into bins
  unsigned long long* events = nullptr;  ///< [event_count]; null = the plain form of the kernel

  /// Counters from a cell to its next neighbor along x, y, z.
  std::array<int, 3> stride() const {
    if (z_fastest) return {cells[1] * cells[2], cells[2], 1};
    return {1, cells[0], cells[0] * cells[1]};
  }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Working memory of the variants that sort, bytes.
std::size_t sort_scratch_bytes(const problem&);

/// Working memory of the variants that deal points into bins, bytes.
std::size_t bin_bytes(const problem&);

/// Index of the cell of one point in its cloud's grid, or −1. fp32, round to nearest, no contraction.
std::int64_t cell_of(const problem&, const float point[3]);

/// The oracle: one point after the other. Adds to `grid`, in the problem's counter type, the points of
/// `points` (host pointers of the problem's shapes); clears it first where the problem says so.
void reference(const problem&, const float* points, void* grid);

}  // namespace ablate::voxelize
