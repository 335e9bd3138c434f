// The lists from the dense table in the same order each time. lists.cu reserves a block's part of a list
// with an atomic, so its place depends on when the block gets there; here the blocks' counts are kept,
// [offset][block], and scanned along each offset, so a block's part follows those of the blocks before it.
// One more kernel, which reads and writes 4 bytes per 1024 entries; no atomics. Should move: time a little,
// and the order not at all.
#include "kernels/kernel_map/dense_lists.cuh"

namespace ablate::kernel_map {

constexpr int block_sum_threads = 1024;

/// An offset's counts per block, then their exclusive sums.
__device__ std::uint32_t* blocks_of_offset(const view& v, int q, unsigned blocks) {
  return v.scratch.block_counts + static_cast<long long>(q) * blocks;
}

__global__ __launch_bounds__(list_threads) void count_block_pairs(view v) {
  const block_place at;
  int row[per_thread];
  const block_rank mine = rank_entries(v, at, row);
  if (threadIdx.x == 0) blocks_of_offset(v, at.q, gridDim.x)[blockIdx.x] = mine.all;
}

/// One block per offset.
__global__ __launch_bounds__(block_sum_threads) void sum_list_blocks(view v, unsigned blocks) {
  using scan = cub::BlockScan<unsigned, block_sum_threads>;
  __shared__ typename scan::TempStorage storage;
  const int q = static_cast<int>(blockIdx.x);
  std::uint32_t* const counts = blocks_of_offset(v, q, blocks);
  unsigned carried = 0;
  for (unsigned first = 0; first < blocks; first += block_sum_threads) {
    const unsigned at = first + threadIdx.x;
    unsigned before, sum;
    scan(storage).ExclusiveSum(at < blocks ? counts[at] : 0, before, sum);
    if (at < blocks) counts[at] = carried + before;
    carried += sum;
    __syncthreads();
  }
  if (threadIdx.x == 0) v.scratch.counts[q] = carried;
}

__global__ __launch_bounds__(list_threads) void scatter_in_order(view v) {
  const block_place at;
  int row[per_thread];
  const block_rank mine = rank_entries(v, at, row);
  const unsigned before = blocks_of_offset(v, at.q, gridDim.x)[blockIdx.x];
  put_entries<lists_of_entry::own>(v, at.q, at.first, row, v.ends[at.q] + before + mine.before);
}

void ordered_lists_from_dense(launcher& to, const problem& p) {
  const unsigned blocks = static_cast<unsigned>(list_blocks(p.outs)),
                 offsets = static_cast<unsigned>(p.offsets());
  launch(to, count_block_pairs, dim3(blocks, offsets), dim3(list_threads), 0, view(p));
  launch(to, sum_list_blocks, dim3(offsets), dim3(block_sum_threads), 0, view(p), blocks);
  sum_counts(to, p);
  launch(to, scatter_in_order, dim3(blocks, offsets), dim3(list_threads), 0, view(p));
}

}  // namespace ablate::kernel_map
