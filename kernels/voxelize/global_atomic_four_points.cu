// Direct counting, four points per thread, a block's width apart: a thread first reads its points and finds
// their cells, then sends four reductions. With pdl=on the kernel starts while the one
// that clears the grid is still running (programmatic dependent launch), and waits for it between the two.
// Layout as in global_atomic. Should move: time, by loads in flight and, when overlapped, by a kernel launch
// and the reading of the points; no counter of work.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

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

void global_atomic_four_points(launcher& to, const problem& p, const switches& s) {
  const bool overlaps = s.is_on("pdl");
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, find_then_add<Count, instrumented>,
           {.grid = grid_of(p, points_at_once * block_threads),
            .block = dim3(block_threads),
            // Only of the clearing kernel is it known that it does not write the points.
            .overlaps_previous = overlaps && p.clears_grid},
           view<Count>(p));
  });
}

}  // namespace ablate::voxelize
