// A sum by one kernel with two interchangeable steps: how a thread gets its number, and how the numbers of a
// block are combined.
//
// Per thread: one element, the textbook way; or 16-byte loads in a grid-stride loop by as many threads as the
// GPU holds. Per block: one atomic per thread; shuffles within a warp and one atomic per warp; a tree in
// shared memory with a barrier for each of its eight levels, the textbook way; shuffles, then the warps' sums
// through shared memory with one barrier. The last two send one atomic per block. A kernel clears the sum
// first. Should move: atomics (L2 reduction sectors); with 16-byte loads the DRAM's share of its peak.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/reduction/launches.h"
#include "kernels/reduction/reduction.h"

namespace ablate::reduction {

constexpr int block_threads = 256, block_warps = block_threads / 32;

enum class loads { one, strided };
enum class combining { atomics, shuffles, tree, shuffles_and_shared };

template <loads Loads>
__device__ float sum_of_thread(const float* in, long long count) {
  const long long thread = static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
  if constexpr (Loads == loads::one) {
    return thread < count ? in[thread] : 0.0f;
  } else {
    const long long vectors = count / 4, threads = static_cast<long long>(gridDim.x) * block_threads;
    float sum = 0;
#pragma unroll 4
    for (long long i = thread; i < vectors; i += threads) {
      const float4 four = reinterpret_cast<const float4*>(in)[i];
      sum += (four.x + four.y) + (four.z + four.w);
    }
    if (4 * vectors + thread < count) sum += in[4 * vectors + thread];
    return sum;
  }
}

__device__ inline float sum_of_warp(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  return value;
}

__device__ inline float tree_sum(float value) {
  __shared__ float sums[block_threads];
  sums[threadIdx.x] = value;
#pragma unroll
  for (int half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  return sums[0];  // of thread 0
}

__device__ inline float sum_of_warps(float value) {
  __shared__ float sums[block_warps];
  value = sum_of_warp(value);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  return threadIdx.x < 32 ? sum_of_warp(threadIdx.x < block_warps ? sums[threadIdx.x] : 0.0f) : 0.0f;
}

template <loads Loads, combining How>
__global__ __launch_bounds__(block_threads) void sum_by_blocks(const float* in, long long count, float* out) {
  float sum = sum_of_thread<Loads>(in, count);
  int threads_of_a_sum = block_threads;
  if constexpr (How == combining::atomics) threads_of_a_sum = 1;
  if constexpr (How == combining::shuffles) threads_of_a_sum = 32, sum = sum_of_warp(sum);
  if constexpr (How == combining::tree) sum = tree_sum(sum);
  if constexpr (How == combining::shuffles_and_shared) sum = sum_of_warps(sum);
  if (threadIdx.x % threads_of_a_sum != 0) return;
  atomicAdd(out, sum);
}

__global__ void clear_sum(float* out) { *out = 0; }

/// As many blocks as the GPU holds at once, if there is work for them.
unsigned strided_blocks(const launcher& to, const problem& p) {
  constexpr long long blocks_of_multiprocessor = 2048 / block_threads;
  const long long resident = to.device().multiprocessors * blocks_of_multiprocessor;
  return static_cast<unsigned>(
      std::clamp<long long>(blocks_for(p.count, 4 * block_threads), 1, std::max(1ll, resident)));
}

template <loads Loads, combining How>
void add_up(launcher& to, const problem& p) {
  launch(to, clear_sum, dim3(1), dim3(1), 0, p.out);
  const unsigned blocks = Loads == loads::one ? blocks_for(p.count, block_threads) : strided_blocks(to, p);
  launch(to, sum_by_blocks<Loads, How>, dim3(blocks), dim3(block_threads), 0, p.in, p.count, p.out);
}

template <loads Loads>
void add_up(launcher& to, const problem& p, text_view combining_word) {
  if constexpr (Loads == loads::one)
    if (combining_word == "atomics") return add_up<Loads, combining::atomics>(to, p);
  if (combining_word == "shuffles") return add_up<Loads, combining::shuffles>(to, p);
  if (combining_word == "tree") return add_up<Loads, combining::tree>(to, p);
  if (combining_word == "shuffles_shared") return add_up<Loads, combining::shuffles_and_shared>(to, p);
  throw std::out_of_range("no way to combine '" + std::string(combining_word) + "'");
}

void block_sums(launcher& to, const problem& p, const switches& s) {
  if (s.word("loads") == "one")
    add_up<loads::one>(to, p, s.word("combine"));
  else
    add_up<loads::strided>(to, p, s.word("combine"));
}

}  // namespace ablate::reduction
