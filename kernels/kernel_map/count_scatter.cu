// No dense table. The search over (out row, offset) runs twice: the first pass counts what each offset finds,
// the second finds it again and writes the pairs. A block reserves its part of each of its eight lists with
// one atomic; ballots rank the lanes. This saves 4 bytes written and 8 read per dense-table entry and costs a
// second probe. Should move: device memory traffic, down; random sectors of the row table, doubled.
#include "kernels/kernel_map/grid.cuh"
#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

constexpr int warps_per_offset = rows_per_block / 32;

/// What each warp of a block found at each offset; in shared memory, its functions called by all threads of
/// the block.
struct found_in_block {
  unsigned by_warp[offsets_per_block][warps_per_offset];
  long long begin[offsets_per_block];  ///< of the block's part of the list

  /// `lanes`: the warp's ballot for this thread's offset. The thread that speaks for the block at this
  /// offset gets the block's total, the others 0.
  __device__ unsigned add(unsigned lanes) {
    if (threadIdx.x % 32 == 0) by_warp[threadIdx.y][threadIdx.x / 32] = __popc(lanes);
    __syncthreads();
    unsigned all = 0;
    if (threadIdx.x == 0)
      for (const unsigned found : by_warp[threadIdx.y]) all += found;
    return all;
  }
  __device__ void count(const view& v, int q, unsigned lanes) {
    const unsigned all = add(lanes);
    if (all > 0) atomicAdd(v.scratch.counts + q, static_cast<unsigned long long>(all));
  }
  /// The place of this thread's pair in list q, if it found one.
  __device__ long long reserve(const view& v, int q, unsigned lanes) {
    const unsigned all = add(lanes);
    if (all > 0)
      begin[threadIdx.y] = v.ends[q] + static_cast<long long>(atomicAdd(
                                           v.scratch.cursors + q, static_cast<unsigned long long>(all)));
    __syncthreads();
    long long at = begin[threadIdx.y] + __popc(lanes & ((1u << threadIdx.x % 32) - 1));
    for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) at += by_warp[threadIdx.y][warp];
    return at;
  }
};

template <class Table, list_pass Pass, bool Instrumented>
__global__ __launch_bounds__(rows_per_block* offsets_per_block) void search_twice(view v, const Table in) {
  constexpr bool writes = Pass == list_pass::write;
  __shared__ found_in_block found;
  const long long out = static_cast<long long>(blockIdx.x) * rows_per_block + threadIdx.x;
  const int q = static_cast<int>(blockIdx.y) * offsets_per_block + static_cast<int>(threadIdx.y);
  tally<Instrumented> events;
  int row = -1;
  if (out < v.outs && q < v.offsets) {
    row = find_row(v, in, v.outs_at[out], v.offset(q), events);
    if (!writes && q == 0) events.add(queries);
    if (!writes && row >= 0) events.add(pairs);
  }
  const unsigned lanes = __ballot_sync(~0u, row >= 0);
  if (writes) {
    const long long at = found.reserve(v, q, lanes);
    if (row >= 0) put_pair(v, at, row, static_cast<int>(out));
  } else {
    found.count(v, q, lanes);
  }
  events.write(v.events);
}

void map_by_count_scatter(launcher& to, const problem& p) {
  run_phases<packed_rows>(to, p, [&] {
    const packed_rows rows(row_problem(p));
    const geometry grid = grid_over(p.outs, p.offsets());
    clear_counts(to, p);
    with_form(p, [&](auto instrumented) {
      launch(to, search_twice<packed_rows, list_pass::count, instrumented>, grid, view(p), rows);
      sum_counts(to, p);
      launch(to, search_twice<packed_rows, list_pass::write, instrumented>, grid, view(p), rows);
    });
  });
}

}  // namespace ablate::kernel_map
