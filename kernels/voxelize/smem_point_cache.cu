// Point cache, the study's approach A as written: each thread copies its own point (three loads at a stride
// of 12 bytes) to shared memory, waits for the block, reads it back and counts it in device memory. 3 KiB per
// block. Nothing is reused, so nothing can be saved. Should move: shared-memory wavefronts and barrier
// stalls.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void through_point_cache(view<Count> v) {
  __shared__ float cache[3 * block_threads];
  tally<Instrumented> events;
  const float* cloud = v.cloud_points();
  const long long i = point_of_thread();
  const bool have_point = i < v.points_per_cloud;
  if (have_point)
    for (int axis = 0; axis < 3; ++axis) cache[3 * threadIdx.x + axis] = cloud[3 * i + axis];
  __syncthreads();
  if (have_point) {
    events.add(points);
    // volatile: as in the study, the values come back from shared memory, not from the registers that stored
    // them.
    const volatile float* mine = cache + 3 * threadIdx.x;
    const int cell = v.cell_of(mine[0], mine[1], mine[2]);
    if (cell >= 0) {
      events.add(valid);
      add_to_cell(v.cloud_grid(), cell, Count{1}, events);
    }
  }
  events.write(v.events);
}

void smem_point_cache(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, through_point_cache<Count, instrumented>, grid_of(p, block_threads), dim3(block_threads), 0,
           view<Count>(p));
  });
}

}  // namespace ablate::voxelize
