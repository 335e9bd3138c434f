#pragma once

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/common/min_max.h"
#include "kernels/common/mma.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// The flat point cache, double-buffered: while a block counts one tile of 256 points from shared memory, the
/// next is in flight. As many blocks as can be resident walk a cloud's tiles in a grid-stride loop.

constexpr int tile_floats = 3 * block_threads;
constexpr unsigned tile_bytes = tile_floats * sizeof(float);

struct alignas(128) point_stages {
  float tiles[2][tile_floats];
};

/// A cloud as tiles. A whole tile that is 16-byte aligned is copied asynchronously, any other with loads.
struct tiled_cloud {
  const float* points;
  long long count;

  __device__ long long tiles() const { return (count + block_threads - 1) / block_threads; }
  __device__ const float* tile(long long t) const { return points + t * tile_floats; }
  __device__ bool takes_async(long long t) const {
    return (t + 1) * block_threads <= count && reinterpret_cast<unsigned long long>(points) % 16 == 0;
  }
  __device__ void load(long long t, float* to) const {
    const long long left = 3 * count - t * tile_floats;
    for (int i = threadIdx.x; i < tile_floats && i < left; i += block_threads) to[i] = tile(t)[i];
  }
};

// Ways to copy a tile: `start` begins the copy of one tile, `finish` returns once the given, earlier tile is
// visible in shared memory to all threads.

/// 16 bytes per thread (cp.async).
class copies_by_threads {
 public:
  __device__ void start(const tiled_cloud& cloud, long long t, point_stages& stages, int stage) {
    if (t < cloud.tiles()) {
      float* const to = stages.tiles[stage];
      if (!cloud.takes_async(t))
        cloud.load(t, to);
      else if (threadIdx.x < tile_bytes / 16)
        mma::copy_async(mma::shared_address(to + 4 * threadIdx.x), cloud.tile(t) + 4 * threadIdx.x);
    }
    mma::copy_commit();  // even if empty, so that each tile has its own group
  }
  __device__ void finish(const tiled_cloud&, long long, int) {
    mma::copy_wait<1>();
    __syncthreads();
  }
};

/// One bulk copy per tile (Hopper).
class copies_in_bulk {
 public:
  __device__ copies_in_bulk() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      for (hopper::barrier& b : barriers()) hopper::initialize(b, 1);
      hopper::fence_initialization();
    }
    __syncthreads();
#endif
  }
  __device__ void start(const tiled_cloud& cloud, long long t, point_stages& stages, int stage) {
    if (t >= cloud.tiles()) return;
    if (!cloud.takes_async(t)) return cloud.load(t, stages.tiles[stage]);
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x != 0) return;
    hopper::arrive_expecting(barriers()[stage], tile_bytes);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, stages.tiles[stage],
                             cloud.tile(t), unsigned{tile_bytes}, &barriers()[stage]);  // taken by reference
#endif
  }
  __device__ void finish(const tiled_cloud& cloud, long long t, int stage) {
    if (!cloud.takes_async(t)) return __syncthreads();
#if __CUDA_ARCH__ >= 900
    hopper::wait(barriers()[stage], parities_ >> stage & 1);
    parities_ ^= 1u << stage;
#endif
  }

 private:
  using stage_barriers = hopper::barrier[2];
  __device__ static stage_barriers& barriers() {
    __shared__ stage_barriers full;
    return full;
  }
  unsigned parities_ = 0;  ///< bit k: parity of the phase that stage k waits for
};

template <class Copies, class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void through_two_stages(view<Count> v) {
  __shared__ point_stages stages;
  tally<Instrumented> events;
  const tiled_cloud cloud{v.cloud_points(), v.points_per_cloud};
  Copies copies;
  int stage = 0;
  long long t = blockIdx.x;
  copies.start(cloud, t, stages, stage);
  for (; t < cloud.tiles(); t += gridDim.x) {
    copies.start(cloud, t + gridDim.x, stages, stage ^ 1);
    copies.finish(cloud, t, stage);
    const float* mine = stages.tiles[stage] + 3 * threadIdx.x;
    with_cell(
        v, t * block_threads + threadIdx.x, events, [&] { return v.cell_of(mine[0], mine[1], mine[2]); },
        [&](int cell) { add_to_cell(v.cloud_grid(), cell, Count{1}, events); });
    __syncthreads();  // the stage may be refilled
    stage ^= 1;
  }
  events.write(v.events);
}

template <class Copies>
void launch_stages(launcher& to, const problem& p) {
  constexpr int resident_blocks = 8;  // of 256 threads per SM
  const long long tiles = blocks_for(p.points_per_cloud, block_threads);
  const long long blocks =
      std::min(tiles, std::max(1ll, 1ll * to.device().multiprocessors * resident_blocks / p.batch));
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, through_two_stages<Copies, Count, instrumented>,
           dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(p.batch)), dim3(block_threads), 0,
           view<Count>(p));
  });
}

}  // namespace ablate::voxelize
