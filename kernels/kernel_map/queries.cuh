#pragma once

#include "kernels/kernel_map/row_table.cuh"

namespace ablate::kernel_map {

/// Drivers with one thread per out row, looping over all offsets.
constexpr int query_threads = 128;

inline geometry grid_of_queries(const problem& p, std::size_t shared_bytes_per_offset) {
  return {dim3(blocks_for(p.outs, query_threads)), dim3(query_threads),
          shared_bytes_per_offset * static_cast<std::size_t>(p.offsets())};
}

/// Such a block's arrays in dynamic shared memory, [offsets] each; a kernel that needs only the first of
/// them requests less. Called by all threads of the block, or all lanes of a warp where noted.
class query_block {
 public:
  static constexpr std::size_t offset_bytes = sizeof(int3), counted_bytes = offset_bytes + sizeof(unsigned),
                               written_bytes = counted_bytes + sizeof(long long);

  __device__ explicit query_block(const view& v)
      : count_(v.offsets),
        offsets_(reinterpret_cast<int3*>(memory())),
        counts_(reinterpret_cast<unsigned*>(offsets_ + count_)),
        begins_(reinterpret_cast<long long*>(counts_ + count_)) {}

  /// Stages the offsets, visible after a barrier.
  __device__ void stage_offsets(const view& v) {
    for (int q = static_cast<int>(threadIdx.x); q < count_; q += query_threads) offsets_[q] = v.offset(q);
  }
  __device__ const int3& offset(int q) const { return offsets_[q]; }

  /// Zeroes the counts, visible after a barrier.
  __device__ void clear_counts() {
    for (int q = static_cast<int>(threadIdx.x); q < count_; q += query_threads) counts_[q] = 0;
  }
  /// Counts the lanes of a warp that found a row.
  __device__ void count(int q, bool found) {
    const unsigned lanes = __ballot_sync(~0u, found);
    if (threadIdx.x % 32 == 0 && lanes != 0) atomicAdd(counts_ + q, static_cast<unsigned>(__popc(lanes)));
  }
  /// Adds the block's counts to those of all blocks.
  __device__ void add_counts(const view& v) {
    __syncthreads();
    for (int q = static_cast<int>(threadIdx.x); q < count_; q += query_threads)
      if (counts_[q] != 0) atomicAdd(v.scratch.counts + q, static_cast<unsigned long long>(counts_[q]));
  }
  /// Reserves as many places in each list as were counted.
  __device__ void reserve(const view& v) {
    __syncthreads();
    for (int q = static_cast<int>(threadIdx.x); q < count_; q += query_threads) {
      if (counts_[q] != 0)
        begins_[q] = v.ends[q] + static_cast<long long>(atomicAdd(
                                     v.scratch.cursors + q, static_cast<unsigned long long>(counts_[q])));
      counts_[q] = 0;
    }
    __syncthreads();
  }
  /// Stores the pairs of a warp's lanes with `found` at reserved places.
  __device__ void put(const view& v, int q, bool found, int row, long long out) {
    const unsigned lanes = __ballot_sync(~0u, found), lane = threadIdx.x % 32;
    unsigned before = 0;
    if (lane == 0 && lanes != 0) before = atomicAdd(counts_ + q, static_cast<unsigned>(__popc(lanes)));
    before = __shfl_sync(~0u, before, 0) + __popc(lanes & ((1u << lane) - 1));
    if (found) put_pair(v, begins_[q] + before, row, static_cast<int>(out));
  }

 private:
  __device__ static unsigned char* memory() {
    extern __shared__ __align__(16) unsigned char query_block_memory[];
    return query_block_memory;
  }

  int count_;
  int3* offsets_;
  unsigned* counts_;   ///< of the block; once places are reserved: places taken
  long long* begins_;  ///< of the block's part of a list
};

/// First pass: counts the pairs of each offset.
template <class Table, bool Instrumented>
__global__ __launch_bounds__(query_threads) void count_queries(view v, const Table in) {
  query_block block(v);
  block.stage_offsets(v);
  block.clear_counts();
  __syncthreads();
  const long long out = static_cast<long long>(blockIdx.x) * query_threads + threadIdx.x;
  const bool asks = out < v.outs;
  const coordinate at = asks ? v.outs_at[out] : coordinate{};
  tally<Instrumented> events;
  if (asks) events.add(queries);
  for (int q = 0; q < v.offsets; ++q) {
    const bool found = asks && find_row(v, in, at, block.offset(q), events) >= 0;
    if (found) events.add(pairs);
    block.count(q, found);
  }
  block.add_counts(v);
  events.write(v.events);
}

/// Counts pairs, makes the ends and calls `scatter`, which writes the pairs; all on one type of table.
template <class Table, class Scatter>
void count_then(launcher& to, const problem& p, Scatter scatter) {
  clear_counts(to, p);
  with_form(p, [&](auto instrumented) {
    launch(to, count_queries<Table, instrumented>, grid_of_queries(p, query_block::counted_bytes), view(p),
           Table(row_problem(p)));
    sum_counts(to, p);
    scatter(instrumented);
  });
}

}  // namespace ablate::kernel_map
