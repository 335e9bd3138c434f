// Direct counting, no shared memory: grid[cell(p)] += 1 for each point p, one reduction per point. Layout:
// points interleaved x y z (12 bytes), counters x fastest. Should move: L2 reduction sectors, one for each
// valid point (fewer only where a warp's points share a 32-byte sector), and load sectors: scalar loads at a
// stride of 12 bytes touch each sector three times.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <class Count, bool Instrumented>
__global__ __launch_bounds__(max_block_threads) void one_point_per_thread(view<Count> v) {
  tally<Instrumented> events;
  with_cell(v, point_of_thread(), events,
            [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); });
  events.write(v.events);
}

void global_atomic(launcher& to, const problem& p, const switches& s) {
  const int threads = threads_of(s);
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, one_point_per_thread<Count, instrumented>, grid_of(p, threads), dim3(threads), 0,
           view<Count>(p));
  });
}

}  // namespace ablate::voxelize
