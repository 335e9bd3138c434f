// Occupancy from counts: one reduction per point, then a second kernel turns every count above 0 into 1, 16
// bytes per thread. Including the clearing of the grid, this is what the study's baseline times. Should move,
// against global_atomic: bytes, up by one more read and write of the whole grid.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <bool Instrumented>
__global__ __launch_bounds__(block_threads) void count_to_binarize(view<int> v) {
  tally<Instrumented> events;
  with_cell(v, point_of_thread(), events, [&](int cell) { add_to_cell(v.cloud_grid(), cell, 1, events); });
  events.write(v.events);
}

__device__ inline int binary(int count) { return count != 0; }

__global__ __launch_bounds__(block_threads) void binarize(int* grid, long long cells) {
  const long long i = static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
  if (4 * i + 4 <= cells) {
    int4& counts = reinterpret_cast<int4*>(grid)[i];
    const int4 seen = counts;
    counts = make_int4(binary(seen.x), binary(seen.y), binary(seen.z), binary(seen.w));
  } else {
    for (long long cell = 4 * i; cell < cells; ++cell) grid[cell] = binary(grid[cell]);
  }
}

void count_then_binarize(launcher& to, const problem& p, const switches&) {
  ablate::with_form(p, [&](auto instrumented) {
    launch(to, count_to_binarize<instrumented>, grid_of(p, block_threads), dim3(block_threads), 0,
           view<int>(p));
  });
  const long long cells = p.all_cells();
  launch(to, binarize, dim3(blocks_for(cells, 4 * block_threads)), dim3(block_threads), 0,
         static_cast<int*>(p.grid), cells);
}

}  // namespace ablate::voxelize
