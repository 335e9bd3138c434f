// Direct counting with vector loads: each thread takes four points as three 16-byte loads, then sends four
// reductions. Layout as in global_atomic. Should move: load instructions (3 for four points instead of 12)
// and sectors per request; the reductions stay what they were.
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

constexpr int points_per_thread = 4;

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void four_points_per_thread(view<Count> v) {
  tally<Instrumented> events;
  const float* cloud = v.cloud_points();
  const long long first =
      points_per_thread * (static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x);
  int cells[points_per_thread];
  int count = 0;
  // A cloud of a batch starts on 16 bytes only where the number of points allows it.
  const bool aligned = reinterpret_cast<unsigned long long>(cloud) % sizeof(float4) == 0;
  if (aligned && first + points_per_thread <= v.points_per_cloud) {
    const float4* vectors = reinterpret_cast<const float4*>(cloud + 3 * first);
    const float4 a = vectors[0], b = vectors[1], c = vectors[2];
    cells[0] = v.cell_of(a.x, a.y, a.z);
    cells[1] = v.cell_of(a.w, b.x, b.y);
    cells[2] = v.cell_of(b.z, b.w, c.x);
    cells[3] = v.cell_of(c.y, c.z, c.w);
    count = points_per_thread;
  } else {
#pragma unroll
    for (int k = 0; k < points_per_thread; ++k) {
      cells[k] = v.cell_of_point(cloud, first + k);
      count += first + k < v.points_per_cloud;
    }
  }
  events.add(points, count);
#pragma unroll
  for (int k = 0; k < points_per_thread; ++k) {
    if (cells[k] < 0) continue;
    events.add(valid);
    add_to_cell(v.cloud_grid(), cells[k], Count{1}, events);
  }
  events.write(v.events);
}

void global_atomic_vec4(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, four_points_per_thread<Count, instrumented>, grid_of(p, points_per_thread * block_threads),
           dim3(block_threads), 0, view<Count>(p));
  });
}

}  // namespace ablate::voxelize
