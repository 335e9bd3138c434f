// Direct counting, no shared memory: grid[cell(p)] += 1 for each point p, one reduction per point. Layout:
// points interleaved x y z (12 bytes), counters x fastest. Should move: L2 reduction sectors, one for each
// valid point (fewer only where a warp's points share a 32-byte sector), and load sectors: scalar loads at a
// stride of 12 bytes touch each sector three times. What each switch should move; the reductions are the
// same:
//   division=reciprocal    (p − origin) · (1 / voxel), the reciprocal rounded to fp32 once, instead of three
//                          divisions per point, which take one product and two multiply-adds each
//                          (kernels/common/divisor.h). Unless 1 / voxel is a power of two, points within
//                          rounding of a boundary go to the neighbor. Instructions, down by the corrections.
//   points=soa             all x, then all y, then all z of a cloud, so each of a warp's three scalar loads
//                          is contiguous. Load sectors, each once instead of three times.
//   points_per_thread=4    a block's width apart: a thread reads its points and finds their cells, then sends
//                          four reductions. Time, by loads in flight.
//   vector=16B             four neighbors per thread through three 16-byte loads. Load instructions, 3 for
//                          four points instead of 12, and sectors per request.
//   pdl                    the kernel starts while the one that clears the grid is still running
//                          (programmatic dependent launch), and waits for it between cells and reductions.
//                          Time, by a kernel launch and the reading of the points.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/point_sources.cuh"

namespace ablate::voxelize {

template <class Count, bool Instrumented>
__global__ __launch_bounds__(max_block_threads) void one_point_per_thread(view<Count> v) {
  tally<Instrumented> events;
  with_cell(v, point_of_thread(), events,
            [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); });
  events.write(v.events);
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void one_point_by_reciprocal(view<Count> v,
                                                                         reciprocals per_meter) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const float* cloud = v.cloud_points();
  const auto cell_of = [&] {
    bool inside = true;
    int c[3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const float in_cells =
          floorf(__fmul_rn(__fsub_rn(cloud[3 * i + axis], v.origin[axis]), per_meter.of_axis[axis]));
      // Compared as floats: NaN fails here, but would convert to the integer 0.
      inside = inside && in_cells >= 0.0f && in_cells < static_cast<float>(v.cells[axis]);
      c[axis] = static_cast<int>(in_cells);
    }
    return inside ? v.index_of(c) : -1;
  };
  with_cell(v, i, events, cell_of, [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); });
  events.write(v.events);
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void one_column_entry_per_thread(view<Count> v) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const float* x = v.cloud_points();
  const float *y = x + v.points_per_cloud, *z = y + v.points_per_cloud;
  with_cell(
      v, i, events, [&] { return v.cell_of(x[i], y[i], z[i]); },
      [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); });
  events.write(v.events);
}

/// The three above, after the kernel that clears the grid.
template <class Source, class Count, bool Instrumented>
__global__ __launch_bounds__(max_block_threads) void find_one_then_add(view<Count> v, Source source) {
  tally<Instrumented> events;
  const long long i = point_of_thread();
  const int found = source.cell_of_point(v, i);
  wait_for_previous_kernel();
  with_cell(
      v, i, events, [&] { return found; },
      [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); });
  events.write(v.events);
}

/// Four neighbors per thread. `Waits`: launched after the kernel that clears the grid, it finds all four
/// cells while that still runs, and waits for it before it adds.
template <bool Waits, bool Instrumented, class Count>
__device__ __forceinline__ void add_neighbors(const view<Count>& v) {
  constexpr int points_of_block = points_at_once * block_threads;
  tally<Instrumented> events;
  const long long before = static_cast<long long>(blockIdx.x) * points_of_block;
  const int here = static_cast<int>(min(v.points_per_cloud - before, 1ll * points_of_block));
  const int first = points_at_once * static_cast<int>(threadIdx.x);
  float at[points_at_once][3];
  read_neighbors(at, v.cloud_points() + 3 * before, first, here);
  const auto cell_of = [&](const float(&point)[3]) { return v.cell_of(point[0], point[1], point[2]); };
  const auto add = [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); };
  if constexpr (Waits) {
    int cells[points_at_once];
#pragma unroll
    for (int k = 0; k < points_at_once; ++k) cells[k] = cell_of(at[k]);
    wait_for_previous_kernel();
#pragma unroll
    for (int k = 0; k < points_at_once; ++k)
      with_cell(
          v, before + first + k, events, [&] { return cells[k]; }, add);
  } else {
    events.add(points, static_cast<unsigned>(max(0, min(here - first, points_at_once))));
#pragma unroll
    for (const auto& point : at) {
      const int cell = cell_of(point);
      if (cell < 0) continue;
      events.add(valid);
      add(cell);
    }
  }
  events.write(v.events);
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void four_points_per_thread(view<Count> v) {
  add_neighbors<false, Instrumented>(v);
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void find_neighbors_then_add(view<Count> v) {
  add_neighbors<true, Instrumented>(v);
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void find_then_add(view<Count> v) {
  constexpr int points_of_block = points_at_once * block_threads;
  tally<Instrumented> events;
  const long long first = static_cast<long long>(blockIdx.x) * points_of_block;
  const long long end = min(first + points_of_block, v.points_per_cloud);
  int cells[points_at_once];
  v.cells_of_points(cells, v.cloud_points(), first + threadIdx.x, block_threads, end);
  wait_for_previous_kernel();
#pragma unroll
  for (int k = 0; k < points_at_once; ++k)
    with_cell(
        v, first + threadIdx.x + k * block_threads, events, [&] { return cells[k]; },
        [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); });
  events.write(v.events);
}

/// Four points per thread: neighbors, or a block's width apart.
void count_four_points(launcher& to, const problem& p, const switches& s) {
  const bool overlaps = overlaps_clearing(p, s), by_vectors = s.has("vector");
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    const auto kernel = !by_vectors      ? find_then_add<Count, instrumented>
                        : s.is_on("pdl") ? find_neighbors_then_add<Count, instrumented>
                                         : four_points_per_thread<Count, instrumented>;
    launch(to, kernel,
           {.grid = grid_of(p, points_at_once * block_threads),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps},
           view<Count>(p));
  });
}

/// One point per thread from such a source, after the kernel that clears the grid.
template <class Source>
void count_from(launcher& to, const problem& p, const switches& s) {
  const int threads = threads_of(s);
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(
        to, find_one_then_add<Source, Count, instrumented>,
        {.grid = grid_of(p, threads), .block = dim3(threads), .overlaps_previous = overlaps_clearing(p, s)},
        Source::template view_of<Count>(p), Source(p));
  });
}

/// One point per thread by a kernel that only begins when the grid is clear.
void count_when_clear(launcher& to, const problem& p, const switches& s) {
  const int threads = threads_of(s);
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    const dim3 grid = grid_of(p, threads), block(threads);
    if (s.has("points"))
      launch(to, one_column_entry_per_thread<Count, instrumented>, grid, block, 0,
             columns::view_of<Count>(p));
    else if (s.has("division"))
      launch(to, one_point_by_reciprocal<Count, instrumented>, grid, block, 0, view<Count>(p),
             reciprocals_of(p));
    else
      launch(to, one_point_per_thread<Count, instrumented>, grid, block, 0, view<Count>(p));
  });
}

void count_directly(launcher& to, const problem& p, const switches& s) {
  if (s.has("points_per_thread"))
    count_four_points(to, p, s);
  else if (!s.is_on("pdl"))
    count_when_clear(to, p, s);
  else if (s.has("points"))
    count_from<columns>(to, p, s);
  else if (s.has("division"))
    count_from<multiplied>(to, p, s);
  else
    count_from<interleaved>(to, p, s);
}

}  // namespace ablate::voxelize
