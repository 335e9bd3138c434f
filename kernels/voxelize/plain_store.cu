// Occupancy by plain stores: every point stores 1 to its cell. Threads race, all with the same value, so no
// atomic is needed. Should move, against global_atomic: L2 reduction sectors become write sectors.
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void store_one_per_point(view<occupied> v) {
  tally<Instrumented> events;
  with_cell(v, point_of_thread(), events, [&](int cell) { v.cloud_grid()[cell] = occupied{1}; });
  events.write(v.events);
}

void plain_store(launcher& to, const problem& p, const switches&) {
  const view<occupied> v(p);
  if (p.events)
    launch(to, store_one_per_point<true>, grid_of(p, block_threads), dim3(block_threads), 0, v);
  else
    launch(to, store_one_per_point<false>, grid_of(p, block_threads), dim3(block_threads), 0, v);
}

}  // namespace ablate::voxelize
