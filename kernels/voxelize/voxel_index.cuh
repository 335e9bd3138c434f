#pragma once

#include <type_traits>

#include "kernels/common/point_grid.cuh"
#include "kernels/common/switches.h"
#include "kernels/common/tally.cuh"
#include "kernels/voxelize/voxelize.h"

namespace ablate::voxelize {

/// Threads per block, unless a variant's switch `threads` says otherwise.
constexpr int block_threads = 256;
constexpr int max_block_threads = 512;

inline int threads_of(const switches& s) {
  return s.has("threads") ? static_cast<int>(s.integer("threads")) : block_threads;
}

/// With pdl=on a kernel overlaps the one that clears the grid; only of that is it known that it does not
/// write the points.
inline bool overlaps_clearing(const problem& p, const switches& s) { return s.is_on("pdl") && p.clears_grid; }

/// The counter's type where a cell only tells whether it has points: any count but 0 means 1.
enum class occupied : int {};

/// The problem as a kernel argument, with the counter's type: int, float or occupied.
template <class Count>
struct view : point_grid_view {
  int stride[3];
  Count* grid;
  unsigned long long* events;

  explicit view(const problem& p)
      : point_grid_view(p),
        stride{p.stride()[0], p.stride()[1], p.stride()[2]},
        grid(static_cast<Count*>(p.grid)),
        events(p.events) {}

  /// The grid of this block's cloud.
  __device__ Count* cloud_grid() const { return grid + blockIdx.y * cells_per_cloud; }

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

  /// Cells of the points `first`, `first` + `stride` …; −1 from `end` on. All points are loaded before the
  /// first is located: loads do not pass the atomics of a loop, and one round trip to device memory per point
  /// would take longer than everything else.
  template <int Points>
  __device__ void cells_of_points(int (&found)[Points], const float* cloud, long long first, unsigned stride,
                                  long long end) const {
    // An int, computed once: 64-bit comparisons for each point would be a tenth of all instructions.
    const int left = static_cast<int>(min(end - first, static_cast<long long>(Points) * stride));
    const float* const from = cloud + 3 * first;
    float at[Points][3];
#pragma unroll
    for (int k = 0; k < Points; ++k)
      for (int axis = 0; axis < 3; ++axis)
        at[k][axis] = static_cast<int>(k * stride) < left ? from[3 * k * stride + axis] : no_coordinate;
#pragma unroll
    for (int k = 0; k < Points; ++k) found[k] = cell_of(at[k][0], at[k][1], at[k][2]);
  }
};

/// Points per thread and round where a block loops over many.
constexpr int points_at_once = 4;

/// Reads four neighbors among the `there` points at `points`, starting at `first`: three 16-byte vectors, if
/// they are aligned to 16 bytes.
__device__ inline void read_neighbors(float (&at)[points_at_once][3], const float* points, int first,
                                      int there) {
  static_assert(sizeof(at) == 3 * sizeof(float4));
  points += 3 * first;
  if (reinterpret_cast<std::uintptr_t>(points) % sizeof(float4) == 0 && first + points_at_once <= there) {
    const auto* const vectors = reinterpret_cast<const float4*>(points);
    const float4 a = vectors[0], b = vectors[1], c = vectors[2];
    const float all[] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
#pragma unroll
    for (int i = 0; i < 12; ++i) at[i / 3][i % 3] = all[i];
  } else {
#pragma unroll
    for (int i = 0; i < 12; ++i) at[i / 3][i % 3] = first + i / 3 < there ? points[i] : no_coordinate;
  }
}

/// A thread's event counts.
template <bool Instrumented>
using tally = event_tally<event, event_count, Instrumented>;

/// Adds `value` points to a cell in device memory. The result is unused, so this is a reduction (RED), not an
/// atomic.
template <class Count, bool Instrumented>
__device__ void add_to_cell(Count* grid, int cell, Count value, tally<Instrumented>& events) {
  if constexpr (std::is_same_v<Count, occupied>)
    atomicOr(reinterpret_cast<int*>(grid) + cell, 1);
  else
    atomicAdd(grid + cell, value);
  events.add(global_atomics);
}

/// Puts `points` points into a counter that no other thread touches, and whose old value does not matter if
/// the region has it `cleared`.
template <class Count>
__device__ void put_alone(Count* counter, int points, bool cleared) {
  if constexpr (std::is_same_v<Count, occupied>)
    *counter = occupied{1};
  else
    *counter = static_cast<Count>(points) + (cleared ? Count{0} : *counter);
}

/// This thread's index in its cloud, at one point per thread.
__device__ inline long long point_of_thread() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Calls `use(cell)` if point `i` of this block's cloud is inside the grid; `cell_of()` returns its cell.
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

/// The switch `points_per_block`: a number, or `auto`.
inline int points_per_block_of(const launcher& to, const problem& p, const switches& s) {
  if (s.word("points_per_block") == "auto") return points_per_block_for(to, p);
  return static_cast<int>(s.integer("points_per_block"));
}

}  // namespace ablate::voxelize
