// Where each group of cells writes its pairs: exclusive sums over the groups, for each offset, of what they
// counted. A block sums 64 groups for 32 neighboring offsets; then one block per 32 offsets sums the chunks.
#include "kernels/kernel_map/cell_matches.cuh"

namespace ablate::kernel_map {

namespace {
constexpr int column_width = 32, column_parts = 32;
}

/// Exclusive column sums over rows [first, end) of a table [·][offsets], in place. A block takes 32 columns;
/// returns the total of the thread's column.
__device__ unsigned sum_columns(std::uint32_t* table, int offsets, int q, int first, int end) {
  __shared__ unsigned part_sum[column_parts][column_width];
  const int lane = static_cast<int>(threadIdx.x % column_width);
  const int part = static_cast<int>(threadIdx.x / column_width);
  const long long rows = end - first;
  const int my_first = first + static_cast<int>(rows * part / column_parts);
  const int my_end = first + static_cast<int>(rows * (part + 1) / column_parts);
  const bool here = q < offsets;
  unsigned sum = 0;
#pragma unroll 4
  for (int row = my_first; row < my_end; ++row)
    if (here) sum += table[static_cast<long long>(row) * offsets + q];
  part_sum[part][lane] = sum;
  __syncthreads();
  unsigned before = 0, all = 0;
  for (int other = 0; other < column_parts; ++other) {
    if (other < part) before += part_sum[other][lane];
    all += part_sum[other][lane];
  }
#pragma unroll 4
  for (int row = my_first; row < my_end; ++row) {
    if (!here) continue;
    std::uint32_t& entry = table[static_cast<long long>(row) * offsets + q];
    const unsigned count = entry;
    entry = before;
    before += count;
  }
  return all;
}

/// Group counts → exclusive sums within the chunk, per offset; and the counts of the chunks.
__global__ __launch_bounds__(column_width* column_parts) void sum_groups(view v, int offsets) {
  const int groups = static_cast<int>(groups_of(v));
  const int chunk = static_cast<int>(blockIdx.x), first = chunk * groups_per_chunk;
  if (first >= groups) return;
  const int q = static_cast<int>(blockIdx.y * column_width + threadIdx.x % column_width);
  const unsigned all =
      sum_columns(v.scratch.block_counts, offsets, q, first, min(groups, first + groups_per_chunk));
  if (threadIdx.x < column_width && q < offsets)
    v.scratch.chunk_counts[static_cast<long long>(chunk) * offsets + q] = all;
}

/// Chunk counts → exclusive sums, per offset; and the counts of the lists.
__global__ __launch_bounds__(column_width* column_parts) void sum_chunks(view v, int offsets) {
  const int groups = static_cast<int>(groups_of(v));
  const int chunks = (groups + groups_per_chunk - 1) / groups_per_chunk;
  const int q = static_cast<int>(blockIdx.x * column_width + threadIdx.x % column_width);
  const unsigned all = sum_columns(v.scratch.chunk_counts, offsets, q, 0, chunks);
  if (threadIdx.x < column_width && q < offsets) v.scratch.counts[q] = all;
}

void sum_group_counts(launcher& to, const problem& p, int offsets) {
  const unsigned tiles = blocks_for(offsets, column_width);
  const dim3 block(column_width * column_parts);
  launch(to, sum_groups, dim3(static_cast<unsigned>(cell_chunks(p.rows)), tiles), block, 0, view(p), offsets);
  launch(to, sum_chunks, dim3(tiles), block, 0, view(p), offsets);
}

}  // namespace ablate::kernel_map
