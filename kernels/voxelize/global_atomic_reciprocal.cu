// Direct counting with a multiplication for the voxel index: (p − origin) · (1 / voxel), the reciprocal
// rounded to fp32 once, instead of three divisions per point, which take one product and two multiply-adds
// each (kernels/common/divisor.h). Unless 1 / voxel is a power of two, points within rounding of a boundary
// go to the neighbor. Should move, against global_atomic: instructions, down by the corrections; nothing
// else.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

struct reciprocals {
  float of_axis[3];
};

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

void global_atomic_reciprocal(launcher& to, const problem& p, const switches&) {
  const reciprocals per_meter = {{1.0f / p.voxel[0], 1.0f / p.voxel[1], 1.0f / p.voxel[2]}};
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, one_point_by_reciprocal<Count, instrumented>, grid_of(p, block_threads), dim3(block_threads),
           0, view<Count>(p), per_meter);
  });
}

}  // namespace ablate::voxelize
