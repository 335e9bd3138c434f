// Pooling within buckets by the three steps of the paper (Flash3D, supplement, §10.5). In a block of n rows,
// M = ceil(n / ratio) clusters.
//   1 hash: a row goes to cluster cell · M / 8192; the first `ratio` to arrive stay, the others overflow.
//   2 allocate: empty clusters are listed; overflowing rows seed one each, by a counter, and become its
//     center. Partly filled clusters are candidates too, with their first row as center: without them rows
//     could be left over.
//   3 search: each remaining row finds the nearest center among candidates with room and claims a place by an
//     atomic. A late claim is released and retried in the next round, after full candidates have left the
//     list. There are M · ratio ≥ n places, and each wanted cluster accepts at least one row per round, so
//     the search ends.
// Should move: time, with rows · candidates · rounds distances; shared loads; barriers' stalls.
#include <cub/block/block_scan.cuh>

#include "kernels/pool/bucket_block.cuh"
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"

namespace ablate::pool {

constexpr unsigned no_cluster = ~0u;

struct three_step_memory {
  float center[3][block_points];
  std::uint32_t count[block_points];  ///< members of each cluster
  std::uint16_t list[block_points];   ///< clusters that are free, then those with room
  std::uint16_t begin[block_points];  ///< of each cluster among the sorted rows
  std::uint32_t overflowed;
  block_rows rows;
};

class three_step_block {
 public:
  __device__ three_step_block(const bucket_view& v, const block_place& at, three_step_memory& memory)
      : at_(at), ratio_(v.ratio), memory_(memory) {}

  /// The thread's cluster within the block, and its slot there. All threads.
  __device__ void find(unsigned cell, const float (&c)[3]) {
    const unsigned t = threadIdx.x;
    memory_.count[t] = 0;
    if (t == 0) memory_.overflowed = 0;
    __syncthreads();
    if (at_.has_thread()) take_by_hash(cell, c);
    __syncthreads();
    // A count goes on beyond the ratio while rows arrive.
    const bool is_free = t < at_.clusters && memory_.count[t] == 0;
    if (t < at_.clusters) memory_.count[t] = min(memory_.count[t], ratio_);
    const unsigned free = compact(is_free);
    if (needs_place()) allocate(free, c);
    __syncthreads();
    while (__syncthreads_or(needs_place())) {
      const unsigned candidates = compact(t < at_.clusters && memory_.count[t] < ratio_);
      search(candidates, c);
    }
  }

  __device__ unsigned cluster() const { return cluster_; }
  __device__ unsigned slot() const { return slot_; }

 private:
  __device__ bool needs_place() const { return at_.has_thread() && cluster_ == no_cluster; }

  __device__ void settle(unsigned cluster, unsigned slot, const float (&c)[3]) {
    cluster_ = cluster;
    slot_ = slot;
    if (slot != 0) return;
    for (int axis = 0; axis < 3; ++axis) memory_.center[axis][cluster] = c[axis];
  }

  __device__ void take_by_hash(unsigned cell, const float (&c)[3]) {
    const unsigned wanted = cell * at_.clusters >> cell_bits;
    const unsigned slot = atomicAdd(memory_.count + wanted, 1u);
    if (slot < ratio_) settle(wanted, slot, c);
  }

  __device__ void allocate(unsigned free, const float (&c)[3]) {
    const unsigned place = atomicAdd(&memory_.overflowed, 1u);
    if (place >= free) return;
    const unsigned taken = memory_.list[place];
    memory_.count[taken] = 1;
    settle(taken, 0, c);
  }

  /// Lists the threads' numbers that are wanted, in order; how many. All threads; synchronizes at its end.
  __device__ unsigned compact(bool is_wanted) {
    using scan = cub::BlockScan<unsigned, block_points, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename scan::TempStorage storage;
    unsigned place, all;
    __syncthreads();
    scan(storage).ExclusiveSum(is_wanted ? 1u : 0u, place, all);
    if (is_wanted) memory_.list[place] = static_cast<std::uint16_t>(threadIdx.x);
    __syncthreads();
    return all;
  }

  __device__ void search(unsigned candidates, const float (&c)[3]) {
    if (!needs_place()) return;
    unsigned nearest = memory_.list[0];
    float least = INFINITY;
    for (unsigned i = 0; i < candidates; ++i) {
      const unsigned candidate = memory_.list[i];
      float square = 0;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        const float apart = memory_.center[axis][candidate] - c[axis];
        square = fmaf(apart, apart, square);
      }
      if (square < least) {
        least = square;
        nearest = candidate;
      }
    }
    const unsigned slot = atomicAdd(memory_.count + nearest, 1u);
    if (slot < ratio_)
      settle(nearest, slot, c);
    else
      atomicSub(memory_.count + nearest, 1u);
  }

  const block_place& at_;
  const unsigned ratio_;
  three_step_memory& memory_;
  unsigned cluster_ = no_cluster, slot_ = 0;
};

__global__ __launch_bounds__(block_points,
                             1) void cluster_in_three_steps(const __grid_constant__ bucket_view v) {
  using scan = cub::BlockScan<unsigned, block_points, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage storage;
  extern __shared__ uint4 shared[];
  auto& memory = *reinterpret_cast<three_step_memory*>(shared);
  const block_place at(v);
  if (!at.is_there()) return;
  float c[3];
  const unsigned t = threadIdx.x, cell = find_cell(v, at, memory.rows, c);
  three_step_block steps(v, at, memory);
  steps.find(cell, c);

  const unsigned count = t < at.clusters ? memory.count[t] : 0;
  unsigned begin;
  scan(storage).ExclusiveSum(count, begin);
  memory.begin[t] = static_cast<std::uint16_t>(begin);
  __syncthreads();
  if (at.has_thread())
    memory.rows.sorted[memory.begin[steps.cluster()] + steps.slot()] = static_cast<std::uint16_t>(t);
  __syncthreads();
  if (at.has_thread()) {
    v.member[at.first + t] = at.first + memory.rows.sorted[t];
    v.cluster[at.first + t] = at.first_cluster + steps.cluster();
  }
  if (t < at.clusters) {
    v.start[at.first_cluster + t] = at.first + begin;
    write_mean(v, memory.rows, at.first_cluster + t, begin, count);
  }
  write_counts(v, at);
}

void index_in_three_steps(launcher& to, const problem& p, const switches&) {
  launch(to, cluster_in_three_steps, bucket_grid(p), dim3(block_points), sizeof(three_step_memory),
         bucket_view(p));
}

void three_steps(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_in_three_steps);
}

}  // namespace ablate::pool
