// Bandwidth: copying, reading and writing buffers much larger than L2, and reading one that fits in it.
// 16-byte accesses, consecutive threads on consecutive addresses. The copy and the write handle one vector
// per thread: two to eight per thread, streaming hints and a grid-stride loop were all slower on an H200
// (4.00 to 4.07 against 4.21 TB/s for a copy of 512 MiB; cudaMemcpy 4.15).
#include "kernels/ceilings/ceilings.h"
#include "kernels/ceilings/launches.h"
#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"

namespace ablate::ceilings {

constexpr int threads = 256;

__global__ __launch_bounds__(threads) void copy(const uint4* in, uint4* out, long long vectors) {
  const long long i = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  if (i < vectors) out[i] = in[i];
}

void copy_vec16(launcher& to, const problem& p, const switches&) {
  const long long vectors = p.elements / 4;
  launch(to, copy, dim3(blocks_for(vectors, threads)), dim3(threads), 0, static_cast<const uint4*>(p.in),
         static_cast<uint4*>(p.out), vectors);
}

__global__ __launch_bounds__(threads) void write_indices(uint4* out, long long vectors) {
  const long long i = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  const unsigned first = static_cast<unsigned>(4 * i);
  if (i < vectors) out[i] = make_uint4(first, first + 1, first + 2, first + 3);
}

void write_vec16(launcher& to, const problem& p, const switches&) {
  const long long vectors = p.elements / 4;
  launch(to, write_indices, dim3(blocks_for(vectors, threads)), dim3(threads), 0, static_cast<uint4*>(p.out),
         vectors);
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
