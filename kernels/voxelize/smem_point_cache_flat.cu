// Point cache, flat staging: the block copies its 256 points as 192 vectors of 16 bytes, consecutive threads
// on consecutive addresses, waits, and each thread reads its three numbers back at a stride of 3 words (no
// bank conflicts, since 3 and 32 are coprime). Should move, against smem_point_cache: global load sectors
// (each once instead of three times) and load instructions; the reductions are the same.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void through_flat_point_cache(view<Count> v) {
  __shared__ float4 cache[3 * block_threads / 4];
  tally<Instrumented> events;
  const long long first = static_cast<long long>(blockIdx.x) * block_threads;
  const float* from = v.cloud_points() + 3 * first;
  float* words = reinterpret_cast<float*>(cache);
  const bool whole = first + block_threads <= v.points_per_cloud;
  // A cloud of a batch is 16-byte aligned only if the number of points allows it.
  if (whole && reinterpret_cast<unsigned long long>(from) % sizeof(float4) == 0) {
    if (threadIdx.x < 3 * block_threads / 4)
      cache[threadIdx.x] = reinterpret_cast<const float4*>(from)[threadIdx.x];
  } else {
    const long long left = 3 * (v.points_per_cloud - first);
    for (int i = threadIdx.x; i < 3 * block_threads && i < left; i += block_threads) words[i] = from[i];
  }
  __syncthreads();
  if (first + threadIdx.x < v.points_per_cloud) {
    events.add(points);
    const float* mine = words + 3 * threadIdx.x;
    const int cell = v.cell_of(mine[0], mine[1], mine[2]);
    if (cell >= 0) {
      events.add(valid);
      add_to_cell(v.cloud_grid(), cell, Count{1}, events);
    }
  }
  events.write(v.events);
}

void smem_point_cache_flat(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, through_flat_point_cache<Count, instrumented>, grid_of(p, block_threads), dim3(block_threads),
           0, view<Count>(p));
  });
}

}  // namespace ablate::voxelize
