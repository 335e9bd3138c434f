// Sorts unordered rows in place. A row has one entry for each query block that names its key block: on
// average as many as a list has, but thousands for popular blocks.
//   A warp sorts a row of up to 128 by ranks: an entry's place is the number of smaller ones, counted from
//   shared memory, four compares a load; entries are distinct.
//   Longer rows are listed, and thread blocks process them in turn: a row is a set, so a bitmap in shared
//   memory, and its bits in order are the row.
//   With `rows=ordered_by_bitmaps` thread blocks process all rows, short ones too, without a list.
// Should move: DRAM bytes, 8 an entry more than without; with bitmaps for all rows launches, down by two, and
// shared stores, up by a bitmap a row.
#include <climits>
#include <cub/block/block_scan.cuh>

#include "kernels/common/fill.h"
#include "kernels/common/min_max.h"
#include "kernels/list_transpose/view.cuh"
#include "kernels/selection_attention/bitmap_pieces.h"

namespace ablate::list_transpose {

constexpr int sorting_warps = 8, sorting_threads = 32 * sorting_warps;

struct long_row_list {
  std::uint32_t *rows, *count;
};

__global__ __launch_bounds__(sorting_threads) void sort_short_rows(const __grid_constant__ view v,
                                                                   long_row_list long_rows) {
  __shared__ __align__(16) int entries[sorting_warps][longest_short_row];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const long long row = blockIdx.x * static_cast<long long>(sorting_warps) + warp;
  if (row >= v.rows) return;
  const long long first = v.offsets[row], all = v.offsets[row + 1] - first;
  if (all > longest_short_row) {
    if (lane == 0) long_rows.rows[atomicAdd(long_rows.count, 1u)] = static_cast<std::uint32_t>(row);
    return;
  }
  const auto count = static_cast<int>(all);
  const int padded = (count + 3) / 4 * 4;
  for (int i = lane; i < padded; i += 32) entries[warp][i] = i < count ? v.queries[first + i] : INT_MAX;
  __syncwarp();
  for (int i = lane; i < count; i += 32) {
    const int mine = entries[warp][i];
    int rank = 0;
    for (int j = 0; j < padded; j += 4) {
      const int4 others = *reinterpret_cast<const int4*>(entries[warp] + j);
      rank += (others.x < mine) + (others.y < mine) + (others.z < mine) + (others.w < mine);
    }
    v.queries[first + rank] = mine;
  }
}

using scan_of_bits = cub::BlockScan<int, sorting_threads>;

/// Sorts rows one after the other, by a bitmap in shared memory. Each thread counts a piece of it.
struct bitmap_sorter {
  const view& v;
  unsigned* bitmap;
  scan_of_bits::TempStorage& storage;
  selection_attention::bitmap_pieces pieces;
  int first_word, end_word;

  __device__ bitmap_sorter(const view& problem, unsigned* bitmap_of_block, scan_of_bits::TempStorage& memory)
      : v(problem),
        bitmap(bitmap_of_block),
        storage(memory),
        pieces{(problem.blocks + 31) / 32, sorting_threads} {
    const int thread = static_cast<int>(threadIdx.x);
    first_word = pieces.first_word(thread), end_word = pieces.first_word(thread + 1);
  }

  /// All threads of the block.
  __device__ void sort(long long row) const {
    const int thread = static_cast<int>(threadIdx.x);
    const long long first = v.offsets[row], end = v.offsets[row + 1];
    for (int i = thread; i < pieces.words; i += sorting_threads) bitmap[i] = 0;
    __syncthreads();
    for (long long i = first + thread; i < end; i += sorting_threads) {
      const int query = v.queries[i];
      atomicOr(bitmap + query / 32, 1u << query % 32);
    }
    __syncthreads();
    int mine = 0, before = 0;
    for (int i = first_word; i < end_word; ++i) mine += __popc(bitmap[i]);
    scan_of_bits(storage).ExclusiveSum(mine, before);
    std::int32_t* to = v.queries + first + before;
    for (int i = first_word; i < end_word; ++i)
      for (unsigned word = bitmap[i]; word != 0; word &= word - 1)
        *to++ = 32 * i + __ffs(static_cast<int>(word)) - 1;
    __syncthreads();  // the next row clears the bitmap, and the scan's memory is its own again
  }
};

__global__ __launch_bounds__(sorting_threads) void sort_long_rows(const __grid_constant__ view v,
                                                                  long_row_list long_rows) {
  extern __shared__ unsigned bitmap[];
  __shared__ scan_of_bits::TempStorage storage;
  const bitmap_sorter sorter(v, bitmap, storage);
  for (unsigned number = blockIdx.x; number < *long_rows.count; number += gridDim.x)
    sorter.sort(long_rows.rows[number]);
}

__global__ __launch_bounds__(sorting_threads) void sort_all_rows(const __grid_constant__ view v) {
  extern __shared__ unsigned bitmap[];
  __shared__ scan_of_bits::TempStorage storage;
  const bitmap_sorter sorter(v, bitmap, storage);
  for (long long row = blockIdx.x; row < v.rows; row += gridDim.x) sorter.sort(row);
}

std::size_t bytes_of_bitmap(const view& v) {
  return sizeof(unsigned) * static_cast<std::size_t>((v.blocks + 31) / 32);
}

void sort_rows_by_bitmaps(launcher& to, const problem& p) {
  const view v(p);
  const auto blocks = static_cast<unsigned>(std::min<long long>(v.rows, 8ll * to.device().multiprocessors));
  launch(to, sort_all_rows, dim3(blocks), dim3(sorting_threads), bytes_of_bitmap(v), v);
}

void sort_rows(launcher& to, const problem& p) {
  const view v(p);
  const count_memory memory = cut_count_memory(p);
  const long_row_list long_rows{memory.long_rows, memory.long_count};
  fill(to, {{memory.long_count, 1, 0}});
  launch(to, sort_short_rows, dim3(blocks_for(v.rows, sorting_warps)), dim3(sorting_threads), 0, v,
         long_rows);
  // None waits for the number of long rows: as many blocks as run at a time, most often for nothing.
  launch(to, sort_long_rows, dim3(4 * to.device().multiprocessors), dim3(sorting_threads), bytes_of_bitmap(v),
         v, long_rows);
}

}  // namespace ablate::list_transpose
