#pragma once

#include <type_traits>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/common/tally.cuh"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Threads of a block, unless a variant says otherwise.
constexpr int block_threads = 256;

/// The counter's type where a cell says only whether it has points: any count but 0 means 1.
enum class occupied : int {};

/// The problem as a kernel takes it, with the counter's type: int, float or occupied.
template <class Count>
struct view {
  const float* points;
  long long points_per_cloud;
  long long cells_per_cloud;
  float origin[3], voxel[3];
  int cells[3];
  Count* grid;
  unsigned long long* events;

  explicit view(const problem& p)
      : points(p.points),
        points_per_cloud(p.points_per_cloud),
        cells_per_cloud(p.cells_per_cloud()),
        origin{p.origin[0], p.origin[1], p.origin[2]},
        voxel{p.voxel[0], p.voxel[1], p.voxel[2]},
        cells{p.cells[0], p.cells[1], p.cells[2]},
        grid(static_cast<Count*>(p.grid)),
        events(p.events) {}

  /// The cloud and the grid of this block; blockIdx.y is the cloud.
  __device__ const float* cloud_points() const { return points + 3 * blockIdx.y * points_per_cloud; }
  __device__ Count* cloud_grid() const { return grid + blockIdx.y * cells_per_cloud; }

  /// Cell of a point in its cloud's grid, or −1.
  __device__ int cell_of(float x, float y, float z) const {
    const float cx = floorf(__fdiv_rn(__fsub_rn(x, origin[0]), voxel[0]));
    const float cy = floorf(__fdiv_rn(__fsub_rn(y, origin[1]), voxel[1]));
    const float cz = floorf(__fdiv_rn(__fsub_rn(z, origin[2]), voxel[2]));
    // Compared as floats: NaN fails here, whereas converted to an integer it would be cell 0.
    const bool inside = cx >= 0.0f && cx < static_cast<float>(cells[0]) && cy >= 0.0f &&
                        cy < static_cast<float>(cells[1]) && cz >= 0.0f && cz < static_cast<float>(cells[2]);
    if (!inside) return -1;
    return (static_cast<int>(cz) * cells[1] + static_cast<int>(cy)) * cells[0] + static_cast<int>(cx);
  }

  /// Cell of point `i` of a cloud, read as three scalars; −1 past the end.
  __device__ int cell_of_point(const float* cloud, long long i) const {
    if (i >= points_per_cloud) return -1;
    return cell_of(cloud[3 * i], cloud[3 * i + 1], cloud[3 * i + 2]);
  }
};

/// A thread's event counts.
template <bool Instrumented>
using tally = event_tally<event, event_count, Instrumented>;

/// Adds `value` points to a cell in device memory. The result is not used, so this is a reduction (RED), not
/// an atomic.
template <class Count, bool Instrumented>
__device__ void add_to_cell(Count* grid, int cell, Count value, tally<Instrumented>& events) {
  if constexpr (std::is_same_v<Count, occupied>)
    atomicOr(reinterpret_cast<int*>(grid) + cell, 1);
  else
    atomicAdd(grid + cell, value);
  events.add(global_atomics);
}

/// This thread's number in its cloud, where a thread takes one point.
__device__ inline long long point_of_thread() {
  return static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
}

/// Calls `use(cell)` where point `i` of this block's cloud lies inside of the grid.
template <class Count, bool Instrumented, class Use>
__device__ void with_cell(const view<Count>& v, long long i, tally<Instrumented>& events, Use use) {
  if (i >= v.points_per_cloud) return;
  events.add(points);
  const int cell = v.cell_of_point(v.cloud_points(), i);
  if (cell < 0) return;
  events.add(valid);
  use(cell);
}

/// Calls `form(Count{}, std::bool_constant<instrumented>{})` for the problem's counter type and form.
template <class Form>
void with_form(const problem& p, Form form) {
  const auto with = [&](auto count) {
    p.events ? form(count, std::true_type{}) : form(count, std::false_type{});
  };
  switch (p.mode) {
    case counter::int32:
      with(int{});
      break;
    case counter::float32:
      with(float{});
      break;
    case counter::occupancy:
      with(occupied{});
      break;
  }
}

/// Blocks that take `points_per_block` points of one cloud each, by clouds.
inline dim3 grid_of(const problem& p, long long points_per_block) {
  return dim3(blocks_for(p.points_per_cloud, points_per_block), static_cast<unsigned>(p.batch));
}

}  // namespace ablate::voxelize
