#pragma once

#include <cub/block/block_scan.cuh>

#include "kernels/kernel_map/view.cuh"

namespace ablate::kernel_map {

/// Blocks that walk the dense table [offsets][outs]: each takes 1024 neighboring entries of one offset.
constexpr int list_threads = 256, per_thread = entries_per_block / list_threads;

/// Where the block's entries are in the table.
struct block_place {
  int q = static_cast<int>(blockIdx.y);                                      ///< offset
  long long first = static_cast<long long>(blockIdx.x) * entries_per_block;  ///< out row
};

/// The block's entries that hold a row: this thread's as bits, the count in earlier threads, and the total.
struct block_rank {
  unsigned bits = 0, before = 0, all = 0;
};

__device__ inline block_rank rank_entries(const view& v, const block_place& of, int (&row)[per_thread]) {
  using scan = cub::BlockScan<unsigned, list_threads>;
  __shared__ typename scan::TempStorage storage;
  const std::int32_t* const entries = v.scratch.dense + of.q * v.outs;
  block_rank mine;
  for (int k = 0; k < per_thread; ++k) {
    const long long at = of.first + k * list_threads + threadIdx.x;
    row[k] = at < v.outs ? entries[at] : -1;
    if (row[k] >= 0) mine.bits |= 1u << k;
  }
  scan(storage).ExclusiveSum(__popc(mine.bits), mine.before, mine.all);
  return mine;
}

/// The lists that the entries of an offset go to: its own, or also the opposite one, in and out rows
/// symmetric.
enum class lists_of_entry { own, own_and_opposite };

/// Writes a thread's entries to list q from `at` on.
template <lists_of_entry Lists>
__device__ void put_entries(const view& v, int q, long long first, const int (&row)[per_thread],
                            long long at) {
  constexpr bool has_opposite = Lists == lists_of_entry::own_and_opposite;
  long long opposite = has_opposite ? at - v.ends[q] + v.ends[v.offsets - 1 - q] : 0;
  for (int k = 0; k < per_thread; ++k) {
    if (row[k] < 0) continue;
    const auto out = static_cast<int>(first + k * list_threads + threadIdx.x);
    put_pair(v, at++, row[k], out);
    if (has_opposite) put_pair(v, opposite++, out, row[k]);
  }
}

/// Writes the block's entries where it has reserved room: `reserve(q, count)` returns the place of the first
/// of `count` entries of offset q. One thread calls it.
template <lists_of_entry Lists, class Reserve>
__device__ void put_where_reserved(const view& v, Reserve reserve) {
  __shared__ unsigned long long begin;
  const block_place at;
  int row[per_thread];
  const block_rank mine = rank_entries(v, at, row);
  if (threadIdx.x == 0 && mine.all > 0) begin = reserve(at.q, static_cast<unsigned long long>(mine.all));
  __syncthreads();
  put_entries<Lists>(v, at.q, at.first, row, static_cast<long long>(begin) + mine.before);
}

}  // namespace ablate::kernel_map
