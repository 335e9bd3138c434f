#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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
  conflicts,       ///< points whose slot of the table was held by another voxel
  fallbacks,       ///< points sent to device memory one by one because the table did not take them
  flushes,         ///< entries of the table that were written back
  group_voxels,    ///< voxels that were given an entry (block) or a leader (warp), summed over groups
  groups,          ///< warps or blocks that merged
  event_count
};

/// Counts the points of each cloud in each cell of a grid:
///   c = floor((p − origin) / voxel) per axis, fp32 round to nearest, and
///   grid[cloud][c.z][c.y][c.x] += 1 (or = 1, for occupancy) where 0 ≤ c < cells on every axis; all other
///   points, NaN included, are dropped.
/// (Specification: voxelization §1; RoboCache's "voxelize_occupancy_kernel" with floor, half-open cells and
/// NaN settled.)
struct problem {
  const float* points = nullptr;  ///< [batch][points_per_cloud][3], x y z interleaved, meters
  std::int64_t points_per_cloud = 0;
  int batch = 1;                  ///< clouds, each with a grid of its own; at most 65535
  std::array<float, 3> origin{};  ///< meters
  std::array<float, 3> voxel{};   ///< edge of a cell along x, y, z; meters
  std::array<int, 3> cells{};     ///< along x, y, z; the product is below 2^31
  counter mode = counter::int32;
  void* grid = nullptr;      ///< [batch][cells z][cells y][cells x] counters, 4 bytes each, x fastest
  bool clears_grid = false;  ///< the region starts with clearing the grid (by a kernel)
  unsigned long long* events = nullptr;  ///< [event_count]; null = the plain form of the kernel

  std::int64_t cells_per_cloud() const { return static_cast<std::int64_t>(cells[0]) * cells[1] * cells[2]; }
};

/// Index of the cell of one point in its cloud's grid, or −1. fp32, round to nearest, no contraction.
std::int64_t cell_of(const problem&, const float point[3]);

/// The oracle: one point after the other. Adds to `grid`, in the problem's counter type, the points of
/// `points` (host pointers of the problem's shapes); clears it first where the problem says so.
void reference(const problem&, const float* points, void* grid);

}  // namespace ablate::voxelize
