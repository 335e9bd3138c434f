// Phase `prepare`: the box of all instances' points and zeroed counters, in one kernel. Each block reduces
// its part of the points; the last block to finish (by a ticket, which it puts back to zero) reduces the
// blocks' results.
#include <algorithm>

#include "kernels/psh_bucket/box.cuh"
#include "kernels/psh_bucket/phases.h"

namespace ablate::psh_bucket {

constexpr int prepare_threads = 512;
constexpr int points_per_thread = 2;

__global__ __launch_bounds__(prepare_threads) void find_box(view v, bool isotropic, std::uint32_t* also_zero,
                                                            std::size_t also_zero_words) {
  __shared__ bool is_last;
  const unsigned thread = blockIdx.x * prepare_threads + threadIdx.x, threads = gridDim.x * prepare_threads;
  const unsigned counters = static_cast<unsigned>(v.instances) * v.buckets;
  for (unsigned i = thread; i < counters; i += threads) v.bucket_count[i] = v.scratch.leftover_count[i] = 0;
  for (std::size_t i = thread; i < also_zero_words; i += threads) also_zero[i] = 0;

  extremes mine = no_extremes();
  for (unsigned point = thread; point < v.points; point += threads)
    include(mine, v.coordinates + 3ull * point);
  store_extremes(v, mine);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(v.scratch.tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  const voxel_scale box = scale_of_all(v, isotropic);
  if (threadIdx.x == 0) {
    *v.scratch.box = box;
    *v.scratch.tickets = 0;
  }
}

void prepare(launcher& to, const problem& p, std::uint32_t* also_zero, std::size_t also_zero_words) {
  const unsigned blocks =
      std::clamp(blocks_for(p.points, prepare_threads * points_per_thread), 1u,
                 static_cast<unsigned>(std::min(max_prepare_blocks, 4 * to.device().multiprocessors)));
  launch(to, find_box, dim3(blocks), dim3(prepare_threads), 0, view(p),
         p.quantization == quantization::isotropic, also_zero, also_zero_words);
}

}  // namespace ablate::psh_bucket
