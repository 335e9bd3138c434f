// Point cache, the study's approach A: points pass through shared memory on their way to direct counting.
// Nothing is reused, so nothing can be saved; the reductions are the same as global_atomic's.
//   as written   each thread copies its own point (three loads at a stride of 12 bytes) to shared memory,
//                waits for the block, reads it back and counts it in device memory. 3 KiB per block. Should
//                move: shared-memory wavefronts and barrier stalls.
//   vector=16B   the block copies its 256 points as 192 vectors of 16 bytes, consecutive threads on
//                consecutive addresses, and each thread reads its three numbers back at a stride of 3 words
//                (no bank conflicts, since 3 and 32 are coprime). Should move: global load sectors (each once
//                instead of three times) and load instructions.
//   copy=async   two stages, filled by cp.async: 16 bytes per thread from device to shared memory, bypassing
//                registers, for the next tile of 256 points while this one is counted. Should move: stalls on
//                loads (long scoreboard) and barriers.
//   copy=bulk    the same, by one thread that issues the next tile as one copy of 3 KiB (cp.async.bulk,
//                Hopper), whose completion is signaled on a barrier in shared memory. Should move: load
//                instructions, to one per tile.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/point_stages.cuh"

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

void smem_point_cache(launcher& to, const problem& p, const switches& s) {
  if (s.has("copy"))
    return (s.word("copy") == "bulk" ? launch_stages<copies_in_bulk> : launch_stages<copies_by_threads>)(to,
                                                                                                         p);
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to,
           s.has("vector") ? through_flat_point_cache<Count, instrumented>
                           : through_point_cache<Count, instrumented>,
           grid_of(p, block_threads), dim3(block_threads), 0, view<Count>(p));
  });
}

}  // namespace ablate::voxelize
