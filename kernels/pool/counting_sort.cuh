#pragma once

#include <cub/block/block_scan.cuh>

#include "kernels/pool/bucket_block.cuh"

namespace ablate::pool {

/// What a block that sorts by counting shares: counters of cells, two of 16 bits in a word (a block has no
/// more rows than 1024), then what it has of its rows.
struct counting_memory {
  uint4 counters[cell_count / 8];
  block_rows rows;
};

using counting_scan = cub::BlockScan<unsigned, block_points, cub::BLOCK_SCAN_WARP_SCANS>;

/// Sorts the block's rows by cell. The thread's row's place; `memory.rows` is complete after it. All
/// threads.
__device__ inline unsigned sort_rows(const bucket_view& v, const block_place& at, counting_memory& memory) {
  using scan = counting_scan;
  static_assert(sizeof memory.counters == block_points * sizeof(uint4));
  __shared__ typename scan::TempStorage storage;
  memory.counters[threadIdx.x] = make_uint4(0, 0, 0, 0);
  float c[3];
  const unsigned cell = find_cell(v, at, memory.rows, c), shift = 16 * (cell % 2);
  auto* const words = reinterpret_cast<unsigned*>(memory.counters);
  const unsigned rank = at.has_thread() ? atomicAdd(words + cell / 2, 1u << shift) >> shift & 0xffffu : 0;
  __syncthreads();

  // Each thread has eight cells, in order.
  const uint4 counted = memory.counters[threadIdx.x];
  unsigned pair[4] = {counted.x, counted.y, counted.z, counted.w}, sum = 0, before;
#pragma unroll
  for (const unsigned both : pair) sum += (both & 0xffffu) + (both >> 16);
  scan(storage).ExclusiveSum(sum, before);
#pragma unroll
  for (unsigned& both : pair) {
    const unsigned low = both & 0xffffu, high = both >> 16;
    both = before | (before + low) << 16;
    before += low + high;
  }
  memory.counters[threadIdx.x] = make_uint4(pair[0], pair[1], pair[2], pair[3]);
  __syncthreads();

  const unsigned place = (words[cell / 2] >> shift & 0xffffu) + rank;
  if (at.has_thread()) memory.rows.sorted[place] = static_cast<std::uint16_t>(threadIdx.x);
  __syncthreads();
  return place;
}

}  // namespace ablate::pool
