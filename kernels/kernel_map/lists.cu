// The lists of pairs from a dense table T[offset][out row]: count the hits of each offset,
// scan the counts into the lists' ends, then read the table again and write each pair to its
// list. A block handles 1024 neighboring entries of one offset and reserves its part of the
// list with one atomic; a block scan ranks the entries. Traffic: 8 bytes per entry and 8 per
// pair.
#include "kernels/kernel_map/dense_lists.cuh"

namespace ablate::kernel_map {

constexpr int sum_threads = 1024;

__global__ __launch_bounds__(list_threads) void count_pairs(view v) {
  const block_place at;
  int row[per_thread];
  const block_rank mine = rank_entries(v, at, row);
  if (threadIdx.x == 0 && mine.all > 0)
    atomicAdd(v.scratch.counts + at.q, static_cast<unsigned long long>(mine.all));
}

template <lists_of_entry Lists>
__global__ __launch_bounds__(list_threads) void scatter_pairs(view v) {
  put_where_reserved<Lists>(v, [&](int q, unsigned long long count) {
    return v.ends[q] + atomicAdd(v.scratch.cursors + q, count);
  });
}

/// The middle list of a map onto its own rows.
__global__ __launch_bounds__(list_threads) void write_identity(view v) {
  const long long row = static_cast<long long>(blockIdx.x) * list_threads + threadIdx.x;
  if (row < v.outs) put_pair(v, v.ends[v.offsets / 2] + row, static_cast<int>(row), static_cast<int>(row));
}

/// `mirrored`: see lists_from_dense.
__global__ __launch_bounds__(sum_threads) void sum_lists(view v, bool mirrored) {
  using scan = cub::BlockScan<unsigned long long, sum_threads>;
  __shared__ typename scan::TempStorage storage;
  unsigned long long carried = 0;
  for (int first = 0; first < v.offsets; first += sum_threads) {
    const int q = first + static_cast<int>(threadIdx.x);
    unsigned long long before, sum;
    unsigned long long count = 0;
    if (q < v.offsets) {
      const bool middle = mirrored && q == v.offsets / 2;
      count = middle ? static_cast<unsigned long long>(v.outs)
                     : v.scratch.counts[mirrored ? min(q, v.offsets - 1 - q) : q];
    }
    scan(storage).ExclusiveSum(count, before, sum);
    if (q < v.offsets) {
      v.ends[q] = static_cast<std::int64_t>(carried + before);
      v.scratch.cursors[q] = 0;
    }
    carried += sum;
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  v.ends[v.offsets] = static_cast<std::int64_t>(carried);
  *v.status = *v.scratch.table_status != 0                   ? map_full
              : static_cast<long long>(carried) > v.capacity ? map_overflow
                                                             : map_ok;
}

__global__ void zero_words(unsigned long long* words, int count) {
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) words[i] = 0;
}

void sum_counts(launcher& to, const problem& p, bool mirrored) {
  launch(to, sum_lists, dim3(1), dim3(sum_threads), 0, view(p), mirrored);
  if (p.host == host_role::count || p.host == host_role::stages)
    to.read(p.ends + p.offsets(), std::int64_t{0});
}

void end_map(launcher& to, const problem& p) {
  if (p.wanted != output::lists) {  // pairs are not counted
    if (p.host != host_role::absent && p.host != host_role::graph)
      to.read(scratch(p).table_status, std::int32_t{0});
    return;
  }
  if (p.host == host_role::end) to.read(p.ends + p.offsets(), std::int64_t{0});
  end_stage(to, p, p.status);
}

void clear_counts(launcher& to, const problem& p) {
  launch(to, zero_words, dim3(1), dim3(list_threads), 0, scratch(p).counts, p.offsets());
}

void write_middle_list(launcher& to, const problem& p) {
  launch(to, write_identity, dim3(blocks_for(p.outs, list_threads)), dim3(list_threads), 0, view(p));
}

void lists_from_dense(launcher& to, const problem& p, bool mirrored) {
  const int offsets = mirrored ? p.offsets() / 2 : p.lists();
  const dim3 grid(offsets == 0 ? 0 : blocks_for(p.outs, entries_per_block), static_cast<unsigned>(offsets));
  clear_counts(to, p);
  launch(to, count_pairs, grid, dim3(list_threads), 0, view(p));
  sum_counts(to, p, mirrored);
  launch(to, mirrored ? scatter_pairs<lists_of_entry::own_and_opposite> : scatter_pairs<lists_of_entry::own>,
         grid, dim3(list_threads), 0, view(p));
  if (mirrored) write_middle_list(to, p);
}

}  // namespace ablate::kernel_map
