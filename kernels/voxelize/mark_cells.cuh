#pragma once

#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// Occupancy, one point per thread: `Mark` writes 1 to the point's cell. Threads race, all with the same
/// value.
template <class Mark, bool Instrumented>
__global__ __launch_bounds__(block_threads) void mark_cell_of_point(view<occupied> v) {
  tally<Instrumented> events;
  int* grid = reinterpret_cast<int*>(v.cloud_grid());
  with_cell(v, point_of_thread(), events, [&](int cell) {
    if (Mark()(grid + cell)) events.add(global_atomics);
  });
  events.write(v.events);
}

template <class Mark>
void launch_marking(launcher& to, const problem& p) {
  ablate::with_form(p, [&](auto instrumented) {
    launch(to, mark_cell_of_point<Mark, instrumented>, grid_of(p, block_threads), dim3(block_threads), 0,
           view<occupied>(p));
  });
}

}  // namespace ablate::voxelize
