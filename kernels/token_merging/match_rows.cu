// Matches without tensor cores: a block of threads has eight sources in shared memory, and each thread
// multiplies all of them with a destination at a time, so that every row read feeds eight products.
//   Nothing but the matches is written.
// Should move: FMA instructions, which are what it takes.
#include "kernels/token_merging/launches.h"
#include "kernels/token_merging/view.cuh"

namespace ablate::token_merging {

constexpr int sources_of_block = 8;

/// blockIdx.x: sources. Shared memory: their rows, fp32.
__global__ __launch_bounds__(block_threads) void match_by_rows(const __grid_constant__ view v) {
  extern __shared__ __align__(16) float rows[];  // [sources_of_block][channels]
  __shared__ match found[block_threads / 32][sources_of_block];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * sources_of_block;
  for (int i = thread; i < sources_of_block * v.match_channels; i += block_threads) {
    const int source = min(first + i / v.match_channels, v.sources - 1);
    rows[i] = float_of_bf16(v.x_row(v.source_tokens[source])[i % v.match_channels]);
  }
  __syncthreads();

  match best[sources_of_block];
#pragma unroll
  for (match& m : best) m = {-INFINITY, 0};
  for (int destination = thread; destination < v.destinations; destination += block_threads) {
    const auto* const row = reinterpret_cast<const uint4*>(v.x_row(v.destination_tokens[destination]));
    float products[sources_of_block] = {};
    for (int i = 0; i < v.match_channels / piece_elements; ++i) {
      float other[piece_elements];
      widen(row[i], other);
#pragma unroll
      for (int s = 0; s < sources_of_block; ++s) {
        const float* const mine = rows + s * v.match_channels + i * piece_elements;
#pragma unroll
        for (int d = 0; d < piece_elements; ++d) products[s] = fmaf(mine[d], other[d], products[s]);
      }
    }
#pragma unroll
    for (int s = 0; s < sources_of_block; ++s)
      if (products[s] > best[s].similarity) best[s] = {products[s], destination};
  }
#pragma unroll
  for (int s = 0; s < sources_of_block; ++s) {
#pragma unroll
    for (int far = 16; far > 0; far /= 2) {
      const match other{__shfl_xor_sync(~0u, best[s].similarity, far),
                        __shfl_xor_sync(~0u, best[s].destination, far)};
      if (other.is_before(best[s])) best[s] = other;
    }
    if (thread % 32 == 0) found[thread / 32][s] = best[s];
  }
  __syncthreads();
  if (thread >= sources_of_block || first + thread >= v.sources) return;
  match all = found[0][thread];
  for (int warp = 1; warp < block_threads / 32; ++warp)
    if (found[warp][thread].is_before(all)) all = found[warp][thread];
  v.best[first + thread] = all.destination;
  v.similarity[first + thread] = all.similarity;
}

void match_rows(launcher& to, const problem& p, const switches&) {
  make_metric_rows(to, p);
  const view v(p);
  launch(to, match_by_rows, dim3(blocks_for(v.sources, sources_of_block)), dim3(block_threads),
         sizeof(float) * static_cast<std::size_t>(sources_of_block * v.match_channels), v);
}

}  // namespace ablate::token_merging
