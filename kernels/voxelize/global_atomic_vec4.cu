// Direct counting with vector loads: each thread reads four points with three 16-byte loads, then sends four
// reductions. Layout as in global_atomic. Should move: load instructions (3 for four points instead of 12)
// and sectors per request; the reductions are the same.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void four_points_per_thread(view<Count> v) {
  constexpr int points_of_block = points_at_once * block_threads;
  tally<Instrumented> events;
  const long long before = static_cast<long long>(blockIdx.x) * points_of_block;
  const int here = static_cast<int>(min(v.points_per_cloud - before, 1ll * points_of_block));
  const int first = points_at_once * static_cast<int>(threadIdx.x);
  float at[points_at_once][3];
  read_neighbors(at, v.cloud_points() + 3 * before, first, here);
  events.add(points, static_cast<unsigned>(max(0, min(here - first, points_at_once))));
#pragma unroll
  for (const auto& point : at) {
    const int cell = v.cell_of(point[0], point[1], point[2]);
    if (cell < 0) continue;
    events.add(valid);
    add_to_cell(v.cloud_grid(), cell, Count{1}, events);
  }
  events.write(v.events);
}

void global_atomic_vec4(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, four_points_per_thread<Count, instrumented>, grid_of(p, points_at_once * block_threads),
           dim3(block_threads), 0, view<Count>(p));
  });
}

}  // namespace ablate::voxelize
