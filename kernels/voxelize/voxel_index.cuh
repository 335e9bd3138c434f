#pragma once

#include <type_traits>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/common/tally.cuh"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Threads of a block, unless a variant's switch `threads` says otherwise.
constexpr int block_threads = 256;
constexpr int most_block_threads = 512;

inline int threads_of(const switches& s) {
  return s.has("threads") ? static_cast<int>(s.integer("threads")) : block_threads;
}

/// The counter's type where a cell says only whether it has points: any count but 0 means 1.
enum class occupied : int {};

/// The problem as a kernel takes it, with the counter's type: int, float or occupied.
template <class Count>
struct view {
  const float* points;
  long long points_per_cloud;
  long long cells_per_cloud;
  float origin[3], voxel[3];
  int cells[3], stride[3];
  Count* grid;
  unsigned long long* events;

  explicit view(const problem& p)
      : points(p.points),
        points_per_cloud(p.points_per_cloud),
        cells_per_cloud(p.cells_per_cloud()),
        origin{p.origin[0], p.origin[1], p.origin[2]},
        voxel{p.voxel[0], p.voxel[1], p.voxel[2]},
        cells{p.cells[0], p.cells[1], p.cells[2]},
        stride{p.stride()[0], p.stride()[1], p.stride()[2]},
        grid(static_cast<Count*>(p.grid)),
        events(p.events) {}

  /// The cloud and the grid of this block; blockIdx.y is the cloud.
  __device__ const float* cloud_points() const { return points + 3 * blockIdx.y * points_per_cloud; }
  __device__ Count* cloud_grid() const { return grid + blockIdx.y * cells_per_cloud; }

  /// Whether a place, given in cells from the origin, lies inside of the grid; then `c` is its cell.
  __device__ bool locate(float x, float y, float z, int (&c)[3]) const {
    const float cx = floorf(x), cy = floorf(y), cz = floorf(z);
    // Compared as floats: NaN fails here, whereas converted to an integer it would be cell 0.
    const bool inside = cx >= 0.0f && cx < static_cast<float>(cells[0]) && cy >= 0.0f &&
                        cy < static_cast<float>(cells[1]) && cz >= 0.0f && cz < static_cast<float>(cells[2]);
    if (!inside) return false;
    c[0] = static_cast<int>(cx);
    c[1] = static_cast<int>(cy);
    c[2] = static_cast<int>(cz);
    return true;
  }
  /// The same of a point.
  __device__ bool locate_point(float x, float y, float z, int (&c)[3]) const {
    return locate(__fdiv_rn(__fsub_rn(x, origin[0]), voxel[0]), __fdiv_rn(__fsub_rn(y, origin[1]), voxel[1]),
                  __fdiv_rn(__fsub_rn(z, origin[2]), voxel[2]), c);
  }

  /// Index of a cell in its cloud's grid.
  __device__ int index_of(const int (&c)[3]) const {
    return c[2] * stride[2] + c[1] * stride[1] + c[0] * stride[0];
  }
  /// Index of a point's cell in its cloud's grid, or −1.
  __device__ int cell_of(float x, float y, float z) const {
    int c[3];
    return locate_point(x, y, z, c) ? index_of(c) : -1;
  }

  /// Cell of point `i` of a cloud, read as three scalars; −1 past the end.
  __device__ int cell_of_point(const float* cloud, long long i) const {
    if (i >= points_per_cloud) return -1;
    return cell_of(cloud[3 * i], cloud[3 * i + 1], cloud[3 * i + 2]);
  }

  /// Cells of the points `first`, `first` + `stride` …; −1 from `end` on. All are loaded before one is
  /// located: loads do not pass the atomics of a loop, and a round trip to device memory for each point would
  /// take longer than all else.
  template <int Points>
  __device__ void cells_of_points(int (&found)[Points], const float* cloud, long long first, unsigned stride,
                                  long long end) const {
    float at[Points][3] = {};
#pragma unroll
    for (int k = 0; k < Points; ++k)
      if (const long long i = first + k * stride; i < end)
        for (int axis = 0; axis < 3; ++axis) at[k][axis] = cloud[3 * i + axis];
#pragma unroll
    for (int k = 0; k < Points; ++k)
      found[k] = first + k * stride < end ? cell_of(at[k][0], at[k][1], at[k][2]) : -1;
  }
};

/// Points that a thread takes a round where a block walks many.
constexpr int points_at_once = 4;

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
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Calls `use(cell)` where point `i` of this block's cloud lies inside of the grid; `cell_of()` tells its
/// cell.
template <class Count, bool Instrumented, class CellOf, class Use>
__device__ void with_cell(const view<Count>& v, long long i, tally<Instrumented>& events, CellOf cell_of,
                          Use use) {
  if (i >= v.points_per_cloud) return;
  events.add(points);
  const int cell = cell_of();
  if (cell < 0) return;
  events.add(valid);
  use(cell);
}

/// The same, with the point read as three scalars.
template <class Count, bool Instrumented, class Use>
__device__ void with_cell(const view<Count>& v, long long i, tally<Instrumented>& events, Use use) {
  with_cell(
      v, i, events, [&] { return v.cell_of_point(v.cloud_points(), i); }, use);
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

/// As many points a block as still leave a block for every multiprocessor: more of them amortize the table
/// better.
inline int most_points_per_block(const launcher& to, const problem& p) {
  constexpr int choices[] = {8192, 4096, 1024, 256};
  for (int choice : choices)
    if (p.batch * ((p.points_per_cloud + choice - 1) / choice) >= to.device().multiprocessors) return choice;
  return choices[3];
}

/// The switch `points_per_block`: a number, or `auto`.
inline int points_per_block_of(const launcher& to, const problem& p, const switches& s) {
  if (s.word("points_per_block") == "auto") return most_points_per_block(to, p);
  return static_cast<int>(s.integer("points_per_block"));
}

/// Blocks that take `points_per_block` points of one cloud each, by clouds.
inline dim3 grid_of(const problem& p, long long points_per_block) {
  return dim3(blocks_for(p.points_per_cloud, points_per_block), static_cast<unsigned>(p.batch));
}

}  // namespace ablate::voxelize
