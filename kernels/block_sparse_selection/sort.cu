// The choice of all rows as published: scores written to memory, each row sorted whole in descending order,
// and added up from the greatest on. Head by head, so that memory is a head's: 16 bytes a pair of blocks.
//   The sort keeps the order of equal scores, which is that of key blocks. Should move: DRAM bytes, 16 a pair
// for each digit that the sort goes by.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "kernels/block_sparse_selection/launches.h"
#include "kernels/block_sparse_selection/view.cuh"
#include "kernels/common/call_cub.cuh"

namespace ablate::block_sparse_selection {

constexpr int rows_of_scores = 8;

/// blockIdx.x: key blocks, a thread each; blockIdx.y: query blocks.
__global__ __launch_bounds__(row_threads) void write_scores(const __grid_constant__ view v, int head,
                                                            std::uint32_t* images, std::int32_t* numbers) {
  __shared__ __align__(16) float query[rows_of_scores][width];
  const int first = static_cast<int>(blockIdx.y) * rows_of_scores;
  load_queries(v, head, first, query);
  const int key = static_cast<int>(blockIdx.x) * row_threads + static_cast<int>(threadIdx.x);
  if (key >= v.keys) return;
  float scores[rows_of_scores];
  score_key(v.key_row(head, key), query, scores);
#pragma unroll
  for (int r = 0; r < rows_of_scores; ++r)
    if (first + r < v.queries) {
      const long long at = static_cast<long long>(first + r) * v.keys + key;
      images[at] = image_of(scores[r]);
      numbers[at] = key;
    }
}

/// blockIdx.x: a query block, whose key blocks are sorted. Shared memory: its bitmap.
__global__ __launch_bounds__(row_threads) void take_from_top(const __grid_constant__ view v, int head,
                                                             const std::uint32_t* all_images,
                                                             const std::int32_t* all_numbers) {
  using reduce = cub::BlockReduce<unsigned long long, row_threads>;
  using scan = cub::BlockScan<block_sum, row_threads>;
  extern __shared__ unsigned bitmap[];
  __shared__ union {
    typename reduce::TempStorage reduce;
    typename scan::TempStorage scan;
  } storage;
  __shared__ unsigned long long shared_total;
  __shared__ int shared_count;
  const int thread = static_cast<int>(threadIdx.x);
  const long long first = static_cast<long long>(blockIdx.x) * v.keys;
  const std::uint32_t* const images = all_images + first;
  const std::int32_t* const numbers = all_numbers + first;
  const float greatest = score_of(images[0]);

  unsigned long long mine = 0;
  for (int i = thread; i < v.keys; i += row_threads) mine += mass_of(images[i], greatest);
  mine = reduce(storage.reduce).Sum(mine);
  if (thread == 0) {
    shared_total = mine;
    shared_count = 0;
  }
  for (int word = thread; word < v.words; word += row_threads) bitmap[word] = 0;
  __syncthreads();
  const unsigned long long total = shared_total;

  block_sum before;
  for (int tile = 0; tile < v.keys; tile += row_threads) {
    const int i = tile + thread;
    const block_sum here = i < v.keys ? block_sum{mass_of(images[i], greatest), 1} : block_sum{};
    block_sum from_first, of_tile;
    scan(storage.scan).InclusiveScan(here, from_first, add_sums(), of_tile);
    const block_sum with = before + from_first;
    if (here.count != 0 && v.has_all(with, total) && !v.has_all(with - here, total)) shared_count = i + 1;
    before = before + of_tile;
    __syncthreads();
    if (shared_count != 0) break;
  }
  const int count = shared_count;
  for (int i = thread; i < count; i += row_threads) {
    const int key = numbers[i];
    atomicOr(bitmap + key / 32, 1u << key % 32);
  }
  __syncthreads();
  const long long row = v.row(head, static_cast<int>(blockIdx.x));
  for (int word = thread; word < v.words; word += row_threads) v.kept[row * v.words + word] = bitmap[word];
  if (thread == 0) v.counts[row] = count;
}

struct beginning_of_row {
  int keys;
  __host__ __device__ int operator()(int row) const { return row * keys; }
};

void sort_rows(launcher& to, const problem& p, const switches&) {
  const view v(p);
  const sort_scratch scratch = cut_scratch(p);
  const int pairs = points_to_sort(p.queries * p.keys);
  const auto beginnings =
      thrust::make_transform_iterator(thrust::make_counting_iterator(0), beginning_of_row{v.keys});
  for (int head = 0; head < v.heads; ++head) {
    launch(to, write_scores, dim3(blocks_for(v.keys, row_threads), blocks_for(v.queries, rows_of_scores)),
           dim3(row_threads), 0, v, head, scratch.scores, scratch.numbers);
    call_cub(to, "cub::DeviceSegmentedRadixSort", scratch.temporary, scratch.temporary_bytes,
             [&](void* temporary, std::size_t& bytes, cudaStream_t stream) {
               return cub::DeviceSegmentedRadixSort::SortPairsDescending(
                   temporary, bytes, scratch.scores, scratch.sorted_scores, scratch.numbers,
                   scratch.sorted_numbers, pairs, v.queries, beginnings, beginnings + 1, 0, 32, stream);
             });
    launch(to, take_from_top, dim3(static_cast<unsigned>(v.queries)), dim3(row_threads),
           sizeof(unsigned) * static_cast<std::size_t>(v.words), v, head, scratch.sorted_scores,
           scratch.sorted_numbers);
  }
}

}  // namespace ablate::block_sparse_selection
