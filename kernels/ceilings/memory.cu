// Bandwidth: a copy much larger than L2 (bytes read + written over time), and a read of a buffer that fits
// into L2. 16 bytes an access, consecutive threads on consecutive addresses, four independent accesses in
// flight a thread.
#include "kernels/ceilings/ceilings.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int threads = 256;
constexpr int vectors_per_thread = 4;

__global__ __launch_bounds__(threads) void copy(const uint4* in, uint4* out, long long vectors) {
  const long long first = static_cast<long long>(blockIdx.x) * threads * vectors_per_thread + threadIdx.x;
  uint4 held[vectors_per_thread];
#pragma unroll
  for (int k = 0; k < vectors_per_thread; ++k)
    if (first + k * threads < vectors) held[k] = in[first + k * threads];
#pragma unroll
  for (int k = 0; k < vectors_per_thread; ++k)
    if (first + k * threads < vectors) out[first + k * threads] = held[k];
}

void copy_vec16(launcher& to, const problem& p, const switches&) {
  const long long vectors = p.elements / 4;
  launch(to, copy, dim3(blocks_for(vectors, threads * vectors_per_thread)), dim3(threads), 0,
         static_cast<const uint4*>(p.in), static_cast<uint4*>(p.out), vectors);
}

__global__ __launch_bounds__(threads) void sum_blocks(const uint4* in, unsigned* sums) {
  constexpr int vectors = words_per_read_block / 4;
  static_assert(vectors % threads == 0);
  const uint4* mine = in + static_cast<long long>(blockIdx.x) * vectors;
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < vectors / threads; ++i) {
    const uint4 v = mine[i * threads + threadIdx.x];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  __shared__ unsigned warps[threads / 32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned total = 0;
    for (unsigned part : warps) total += part;
    sums[blockIdx.x] = total;
  }
}

void read_vec16(launcher& to, const problem& p, const switches&) {
  launch(to, sum_blocks, dim3(static_cast<unsigned>(p.elements / words_per_read_block)), dim3(threads), 0,
         static_cast<const uint4*>(p.in), static_cast<unsigned*>(p.out));
}

}  // namespace ablate::ceilings
