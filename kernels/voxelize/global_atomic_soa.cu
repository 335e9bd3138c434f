// Direct counting from a structure of arrays: all x, then all y, then all z of a cloud, so each of a warp's
// three scalar loads is contiguous. Should move, against global_atomic: load sectors, each once instead of
// three times; the reductions are the same.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

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

void global_atomic_soa(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    view<Count> columns(p);
    columns.points = p.points_soa;
    launch(to, one_column_entry_per_thread<Count, instrumented>, grid_of(p, block_threads),
           dim3(block_threads), 0, columns);
  });
}

}  // namespace ablate::voxelize
