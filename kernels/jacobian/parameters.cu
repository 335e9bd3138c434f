// One pose per thread, its Jacobian straight to memory (18 floats, 72 bytes from one thread's to the next),
// and the chain's 24 parameters from one of three places: global memory, where all lanes read the same
// address; shared memory, to which the block copies them first; the constant bank. All that differs is how 96
// bytes come to a thread that calls for twelve sines and cosines. With `rows` = shared angles and Jacobians
// pass through shared memory too (smem_rows.cu). Should move: global load requests, 24 a warp at most; shared
// loads in their place.
#include "kernels/jacobian/chain.cuh"
#include "kernels/jacobian/launches.h"
#include "kernels/jacobian/parts.h"

namespace ablate::jacobian {

template <method By>
__global__ __launch_bounds__(block_threads) void differentiate_by_global(const link* __restrict__ links,
                                                                         const float* __restrict__ angles,
                                                                         long long poses, float* out) {
  const long long pose = pose_of_thread();
  if (pose >= poses) return;
  store(jacobian_of<By>(links, angles + pose * joints), out + pose * elements);
}

template <method By>
__global__ __launch_bounds__(block_threads) void differentiate_by_shared(const link* __restrict__ links,
                                                                         const float* __restrict__ angles,
                                                                         long long poses, float* out) {
  __shared__ link of_block[joints];
  if (threadIdx.x < joints) of_block[threadIdx.x] = links[threadIdx.x];
  __syncthreads();
  const long long pose = pose_of_thread();
  if (pose >= poses) return;
  store(jacobian_of<By>(of_block, angles + pose * joints), out + pose * elements);
}

template <method By>
__global__ __launch_bounds__(block_threads) void differentiate_by_constant(
    const __grid_constant__ constant_links links, const float* __restrict__ angles, long long poses,
    float* out) {
  const long long pose = pose_of_thread();
  if (pose >= poses) return;
  store(jacobian_of<By>(links.of_joint, angles + pose * joints), out + pose * elements);
}

void jacobians(launcher& to, const problem& p, const switches& s) {
  const text_view parameters = s.word("parameters");
  if (s.word("rows") == "shared") return rows_through_shared(to, p, parameters);
  const dim3 blocks(blocks_for(p.poses, block_threads)), threads(block_threads);
  with_method(p, [&](auto by) {
    if (parameters == "constant")
      launch(to, differentiate_by_constant<by>, blocks, threads, 0, constant_links(p), p.angles, p.poses,
             p.out);
    else
      launch(to, parameters == "shared" ? differentiate_by_shared<by> : differentiate_by_global<by>, blocks,
             threads, 0, p.in_memory, p.angles, p.poses, p.out);
  });
}

}  // namespace ablate::jacobian
