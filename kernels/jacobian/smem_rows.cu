// One pose a thread, parameters from the constant bank, and shared memory where it can matter: angles come
// and Jacobians go through it, so that a block reads and writes whole sectors. A thread's row there is 19
// floats, one more than a Jacobian: 32 lanes hit 32 banks; its angles are the first six of them. Should move
// against constant_parameters: sectors a store request, from 32 to 4.
#include "kernels/jacobian/chain.cuh"
#include "kernels/jacobian/launches.h"

namespace ablate::jacobian {

template <method By>
__global__ __launch_bounds__(block_threads) void differentiate_by_rows(
    const __grid_constant__ constant_links links, const float* __restrict__ angles, long long poses,
    float* out) {
  constexpr int pitch = elements + 1;
  __shared__ float rows[block_threads * pitch];
  const long long first = static_cast<long long>(blockIdx.x) * block_threads;
  const int count = static_cast<int>(min(static_cast<long long>(block_threads), poses - first));
  for (int i = threadIdx.x; i < count * joints; i += block_threads)
    rows[i / joints * pitch + i % joints] = angles[first * joints + i];
  __syncthreads();
  float* const mine = rows + threadIdx.x * pitch;
  if (threadIdx.x < count) store(jacobian_of<By>(links.of_joint, mine), mine);
  __syncthreads();
  for (int i = threadIdx.x; i < count * elements; i += block_threads)
    out[first * elements + i] = rows[i / elements * pitch + i % elements];
}

void smem_rows(launcher& to, const problem& p, const switches&) {
  with_method(p, [&](auto by) {
    launch(to, differentiate_by_rows<by>, dim3(blocks_for(p.poses, block_threads)), dim3(block_threads), 0,
           constant_links(p), p.angles, p.poses, p.out);
  });
}

}  // namespace ablate::jacobian
