#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/common/point_grid.h"

namespace ablate::voxelize {

/// What a cell holds: its number of points as int32 or float32 (exact up to 2^24, so both give the same
/// numbers), or whether it has any, as int32 0 or 1.
enum class counter { int32, float32, occupancy };

/// Events that a variant's instrumented form counts, over all threads. A variant without one leaves `points`
/// at 0.
enum event {
  points,          ///< points read
  valid,           ///< points inside the grid
  global_atomics,  ///< reductions sent to device memory
  hits,            ///< points merged into a voxel that their group (warp or block) already held
  conflicts,       ///< occupied table slots that a point found to belong to another voxel
  fallbacks,       ///< points sent to device memory one by one because the table had no slot for them
  flushes,         ///< table entries written back
  group_voxels,    ///< voxels given an entry (block) or a leader (warp), summed over groups
  groups,          ///< warps or blocks that merged
  event_count
};

/// The phases of a sorting variant, in order. A problem runs those from `first` to `last`; a variant that
/// does not sort has only the second.
enum class phase {
  sort,  ///< a key for each point, and the keys in ascending order
  count  ///< the grid
};

/// Counts the points of each cloud in each cell of a grid:
///   c = floor((p − origin) / voxel) per axis, fp32 round to nearest, and
///   grid[cloud][c.z][c.y][c.x] += 1 (or = 1, for occupancy) where 0 ≤ c < cells on every axis; all other
///   points, NaN included, are dropped.
/// Two choices belong to the problem, since they change the grid: the reverse order of the axes in memory,
/// and (p − origin) · (1 / voxel) instead of the division, which moves points within rounding of a boundary.
/// (docs/operations/voxelize.md, "What is computed"; RoboCache's "voxelize_occupancy_kernel", with floor,
/// half-open cells and NaN settled.)
struct problem : point_grid {
  const float* points_soa = nullptr;  ///< [batch][3][points_per_cloud]: the same as a structure of arrays
  counter mode = counter::int32;
  bool z_fastest = false;      ///< [batch][cells x][cells y][cells z] instead
  bool by_reciprocal = false;  ///< multiplies by 1 / voxel, rounded to fp32
  void* grid = nullptr;        ///< [batch][cells z][cells y][cells x] counters, 4 bytes each, x fastest
  bool clears_grid = false;    ///< the timed region starts by clearing the grid (with a kernel)
  phase first = phase::sort, last = phase::count;
  void* scratch = nullptr;               ///< sort_scratch_bytes(problem); for variants that sort
  void* bins = nullptr;                  ///< bin_bytes(problem); for variants that deal points into bins
  void* queues = nullptr;                ///< queue_bytes(problem); for those that deal through queues
  unsigned long long* events = nullptr;  ///< [event_count]; null: the kernel's plain form

  /// Counters from a cell to its next neighbor along x, y, z.
  std::array<int, 3> stride() const {
    if (z_fastest) return {cells[1] * cells[2], cells[2], 1};
    return {1, cells[0], cells[0] * cells[1]};
  }
  bool does(phase p) const { return first <= p && p <= last; }
};

/// Scratch memory of the variants that sort, bytes.
std::size_t sort_scratch_bytes(const problem&);

/// Scratch memory of the variants that deal points into bins, bytes.
std::size_t bin_bytes(const problem&);

/// Scratch memory of the variants that deal points into bins through queues, bytes.
std::size_t queue_bytes(const problem&);

}  // namespace ablate::voxelize
