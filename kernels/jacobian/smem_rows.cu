// One pose a thread, and shared memory where it can matter: angles come and Jacobians go through it, so that
// a block reads and writes whole sectors. A thread's row there is 19 floats, one more than a Jacobian: 32
// lanes hit 32 banks; its angles are the first six of them. Parameters come from the constant bank, or from
// global or shared memory, as in parameters.cu. Should move against the same parameters without it: sectors a
// store request, from 32 to 4.
#include "kernels/jacobian/chain.cuh"
#include "kernels/jacobian/parts.h"

namespace ablate::jacobian {

constexpr int row_pitch = elements + 1;

/// The block's Jacobians, angles and elements through `rows`. `Links`: whatever gives link j as links[j].
template <method By, class Links>
__device__ void differentiate_rows(const Links& links, const float* __restrict__ angles, long long poses,
                                   float* out, float (&rows)[block_threads * row_pitch]) {
  const long long first = static_cast<long long>(blockIdx.x) * block_threads;
  const int count = static_cast<int>(min(static_cast<long long>(block_threads), poses - first));
  for (int i = threadIdx.x; i < count * joints; i += block_threads)
    rows[i / joints * row_pitch + i % joints] = angles[first * joints + i];
  __syncthreads();
  float* const mine = rows + threadIdx.x * row_pitch;
  if (threadIdx.x < count) store(jacobian_of<By>(links, mine), mine);
  __syncthreads();
  for (int i = threadIdx.x; i < count * elements; i += block_threads)
    out[first * elements + i] = rows[i / elements * row_pitch + i % elements];
}

template <method By>
__global__ __launch_bounds__(block_threads) void differentiate_by_rows(
    const __grid_constant__ constant_links links, const float* __restrict__ angles, long long poses,
    float* out) {
  __shared__ float rows[block_threads * row_pitch];
  differentiate_rows<By>(links.of_joint, angles, poses, out, rows);
}

template <method By>
__global__ __launch_bounds__(block_threads) void differentiate_rows_by_global(
    const link* __restrict__ links, const float* __restrict__ angles, long long poses, float* out) {
  __shared__ float rows[block_threads * row_pitch];
  differentiate_rows<By>(links, angles, poses, out, rows);
}

template <method By>
__global__ __launch_bounds__(block_threads) void differentiate_rows_by_shared(
    const link* __restrict__ links, const float* __restrict__ angles, long long poses, float* out) {
  __shared__ float rows[block_threads * row_pitch];
  __shared__ link of_block[joints];
  // Complete after the barrier that completes the angles.
  if (threadIdx.x < joints) of_block[threadIdx.x] = links[threadIdx.x];
  differentiate_rows<By>(of_block, angles, poses, out, rows);
}

void rows_through_shared(launcher& to, const problem& p, text_view parameters) {
  const dim3 blocks(blocks_for(p.poses, block_threads)), threads(block_threads);
  with_method(p, [&](auto by) {
    if (parameters == "constant")
      launch(to, differentiate_by_rows<by>, blocks, threads, 0, constant_links(p), p.angles, p.poses, p.out);
    else
      launch(to, parameters == "shared" ? differentiate_rows_by_shared<by> : differentiate_rows_by_global<by>,
             blocks, threads, 0, p.in_memory, p.angles, p.poses, p.out);
  });
}

}  // namespace ablate::jacobian
