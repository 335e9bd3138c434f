// Occupancy without counting: every point leaves 1 in its cell. Threads race, all with the same value. What
// each way should move, against global_atomic:
//   atomic=none          a plain store. L2 reduction sectors become write sectors.
//   test=first           a point reads its cell, and stores 1 only if it finds 0. Against plain stores: write
//                        sectors, down by the number of points per cell; read sectors, up by one per point,
//                        and the store waits for them.
//   atomic=exchange      a point exchanges its cell for 1. The old value is not used, but an exchange has no
//                        form without a result: it is an atomic, which returns from L2, and not a reduction.
//                        L2 atomic sectors instead of reduction sectors.
//   points_per_thread=4  a block's width apart, all located before the first is marked. Bytes in flight.
//   pdl                  cells are found while the grid is still being cleared. Time, by a kernel launch and
//                        the reading of the points.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// A mark returns whether it took an atomic.
struct store_one {
  __device__ bool operator()(int* cell) const {
    *cell = 1;
    return false;
  }
};

struct store_one_where_zero {
  __device__ bool operator()(int* cell) const {
    if (*cell == 0) *cell = 1;
    return false;
  }
};

struct exchange_for_one {
  __device__ bool operator()(int* cell) const {
    atomicExch(cell, 1);
    return true;
  }
};

/// One point per thread: `Mark` writes 1 to the point's cell.
template <class Mark, bool Instrumented>
__global__ __launch_bounds__(block_threads) void mark_cell_of_point(view<occupied> v) {
  tally<Instrumented> events;
  int* grid = reinterpret_cast<int*>(v.cloud_grid());
  with_cell(v, point_of_thread(), events, [&](int cell) {
    if (Mark()(grid + cell)) events.add(global_atomics);
  });
  events.write(v.events);
}

/// `Points` per thread, found first. Launched after the kernel that clears, it waits for that before it
/// marks.
template <class Mark, int Points, bool Instrumented>
__global__ __launch_bounds__(block_threads) void find_then_mark(view<occupied> v) {
  constexpr int points_of_block = Points * block_threads;
  tally<Instrumented> events;
  const long long before = static_cast<long long>(blockIdx.x) * points_of_block;
  const long long end = min(before + points_of_block, v.points_per_cloud), first = before + threadIdx.x;
  int cells[Points];
  v.cells_of_points(cells, v.cloud_points(), first, block_threads, end);
  wait_for_previous_kernel();
  int* const grid = reinterpret_cast<int*>(v.cloud_grid());
#pragma unroll
  for (int k = 0; k < Points; ++k)
    with_cell(
        v, first + k * block_threads, events, [&] { return cells[k]; },
        [&](int cell) {
          if (Mark()(grid + cell)) events.add(global_atomics);
        });
  events.write(v.events);
}

template <class Mark>
void mark_by(launcher& to, const problem& p, const switches& s) {
  const bool takes_four = s.has("points_per_thread");
  ablate::with_form(p, [&](auto instrumented) {
    const auto kernel = takes_four       ? find_then_mark<Mark, points_at_once, instrumented>
                        : s.is_on("pdl") ? find_then_mark<Mark, 1, instrumented>
                                         : mark_cell_of_point<Mark, instrumented>;
    launch(to, kernel,
           {.grid = grid_of(p, (takes_four ? points_at_once : 1) * block_threads),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps_clearing(p, s)},
           view<occupied>(p));
  });
}

void mark_cells(launcher& to, const problem& p, const switches& s) {
  if (s.word("atomic") == "exchange")
    mark_by<exchange_for_one>(to, p, s);
  else if (s.has("test"))
    mark_by<store_one_where_zero>(to, p, s);
  else
    mark_by<store_one>(to, p, s);
}

}  // namespace ablate::voxelize
