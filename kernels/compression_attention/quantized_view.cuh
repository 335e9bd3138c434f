#pragma once

#include "kernels/compression_attention/view.cuh"

namespace ablate::compression_attention {

constexpr int quantizing_threads = 256;

/// Which rows a kernel turns into int8, or judges.
enum class quantized_rows { queries, keys };

/// Rows that become int8, as passed to a kernel.
struct quantized_view {
  const uint4 *q, *k;
  float *sums, *mean;
  int8_rows to;
  kept_blocks blocks;
  long long rows, chunks, query_rows;
  int heads;

  explicit quantized_view(const quantization& of)
      : q(reinterpret_cast<const uint4*>(of.q)),
        k(reinterpret_cast<const uint4*>(of.k)),
        sums(of.sums),
        mean(of.mean),
        to(of.to),
        blocks(of.blocks),
        rows(of.rows),
        chunks(of.chunks()),
        query_rows(of.query_rows()),
        heads(static_cast<int>(of.heads)) {}
};

/// The greatest of all threads' numbers, none below 0.
__device__ inline float greatest_of_block(float mine) {
  __shared__ unsigned greatest;
  if (threadIdx.x == 0) greatest = 0;
  __syncthreads();
  const unsigned of_warp = __reduce_max_sync(~0u, __float_as_uint(mine));
  if (threadIdx.x % 32 == 0) atomicMax(&greatest, of_warp);
  __syncthreads();
  return __uint_as_float(greatest);
}

inline dim3 grid_of_blocks(long long count, int heads) {
  return {static_cast<unsigned>(count), static_cast<unsigned>(heads), 1};
}

}  // namespace ablate::compression_attention
