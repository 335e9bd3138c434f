// Pooling within buckets as published (Flash3D, supplement, §10.5; its code). Counters of 32 bits and their
// sums of 16 bits, 48 KiB; the prefix sum over 8192 cells is by rounds of warps, then one warp walks the 256
// segments serially. A block reserves its clusters with an atomic, so blocks are in order of arrival;
// clusters are in a table [clusters][ratio], prefilled with "no row" by another launch; coordinates are added
// up with shared atomics. The host reads the largest instance before and the number of clusters after. It
// requests all shared memory: one block per multiprocessor.
// With `blocks` = computed the places of clusters follow from the sizes instead; all else is as published.
// Our addition: the same atomic reserves the start of a block's points, so that the check can build lists
// from the table.
#include "kernels/common/fill.h"
#include "kernels/pool/bucket_block.cuh"
#include "kernels/pool/launches.h"
#include "kernels/pool/phases.h"
#include "kernels/pool/scratch.h"
#include "kernels/psh_bucket/phases.h"

namespace ablate::pool {

constexpr int segment_cells = 32, segments = cell_count / segment_cells;
constexpr int least_ratio = 2, max_clusters = block_points / least_ratio;

struct published_memory {
  std::uint32_t counter[cell_count];
  std::uint16_t end[cell_count];  ///< inclusive sums
  float sum[3][max_clusters];
  std::uint32_t first_cluster;
  block_rows rows;
};

/// Inclusive sums of the counters; all threads.
__device__ inline void sum_in_segments(published_memory& memory) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int cell = static_cast<int>(threadIdx.x); cell < cell_count; cell += block_points) {
    unsigned sum = memory.counter[cell];
#pragma unroll
    for (int far = 1; far < 32; far *= 2) {
      const unsigned other = __shfl_up_sync(~0u, sum, far);
      if (lane >= far) sum += other;
    }
    memory.end[cell] = static_cast<std::uint16_t>(sum);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    unsigned before = 0;
    for (int segment = 0; segment < segments; ++segment) {
      const unsigned sum = before + memory.end[segment * segment_cells + lane];
      memory.end[segment * segment_cells + lane] = static_cast<std::uint16_t>(sum);
      before = __shfl_sync(~0u, sum, 31);
    }
  }
  __syncthreads();
}

__device__ __forceinline__ void clear_sums(published_memory& memory) {
  for (int cell = static_cast<int>(threadIdx.x); cell < cell_count; cell += block_points)
    memory.counter[cell] = 0;
  for (int i = static_cast<int>(threadIdx.x); i < 3 * max_clusters; i += block_points)
    memory.sum[i / max_clusters][i % max_clusters] = 0;
}

/// The block's rows to the table, its clusters from memory.first_cluster on, which thread 0 has written.
__device__ __forceinline__ void sort_to_table(const bucket_view& v, const block_place& at,
                                              published_memory& memory, std::uint32_t* table) {
  float c[3];
  const unsigned cell = find_cell(v, at, memory.rows, c);
  const unsigned rank = at.has_thread() ? atomicAdd(memory.counter + cell, 1u) : 0;
  __syncthreads();
  sum_in_segments(memory);
  if (at.has_thread()) {
    const unsigned place = memory.end[cell] - memory.counter[cell] + rank, ratio = v.ratio;
    const unsigned own = place / ratio, cluster = memory.first_cluster + own;
    table[cluster * ratio + place % ratio] = at.first + threadIdx.x;
    v.cluster[at.first + threadIdx.x] = cluster;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
      atomicAdd(memory.sum[axis] + own, __half2float(memory.rows.coordinate[axis][threadIdx.x]));
  }
  __syncthreads();
  if (threadIdx.x < at.clusters) {
    const unsigned ratio = v.ratio, begin = threadIdx.x * ratio, count = min(ratio, at.points - begin);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
      v.half_out[3ull * (memory.first_cluster + threadIdx.x) + axis] =
          __float2half_rn(memory.sum[axis][threadIdx.x] / static_cast<float>(count));
  }
  write_counts(v, at);
}

__global__ __launch_bounds__(block_points) void sort_as_published(const __grid_constant__ bucket_view v,
                                                                  std::uint32_t* table,
                                                                  unsigned long long* arrived) {
  extern __shared__ uint4 shared[];
  auto& memory = *reinterpret_cast<published_memory*>(shared);
  const block_place at(v);
  if (!at.is_there()) return;
  clear_sums(memory);
  if (threadIdx.x == 0)
    memory.first_cluster =
        at.first_of_instance +
        static_cast<unsigned>(atomicAdd(arrived + at.instance,
                                        static_cast<unsigned long long>(at.clusters) << 32 | at.points) >>
                              32);
  sort_to_table(v, at, memory, table);
}

/// The same, but where a block's clusters begin follows from the sizes, as in counting_sort.cu.
__global__ __launch_bounds__(block_points) void sort_to_computed_places(const __grid_constant__ bucket_view v,
                                                                        std::uint32_t* table) {
  extern __shared__ uint4 shared[];
  auto& memory = *reinterpret_cast<published_memory*>(shared);
  const block_place at(v);
  if (!at.is_there()) return;
  clear_sums(memory);
  if (threadIdx.x == 0) memory.first_cluster = at.first_cluster;
  sort_to_table(v, at, memory, table);
}

void index_as_published(launcher& to, const problem& p, const switches& s) {
  const scratch memory(p);
  const bool waits = p.host == host_role::published;
  if (waits) to.read(p.ends + p.instances - 1, static_cast<std::uint32_t>(p.points));
  const word_span table = {memory.table, p.capacity() * p.ratio, static_cast<std::uint32_t>(p.points)};
  const std::size_t shared = psh_bucket::shared_request(to, s, sizeof(published_memory), sizeof(block_box));
  if (s.word("blocks") == "computed") {
    fill(to, {table});
    launch(to, sort_to_computed_places, bucket_grid(p), dim3(block_points), shared, bucket_view(p),
           memory.table);
  } else {
    fill(to, {table, {memory.arrived, 2 * static_cast<std::int64_t>(p.instances), 0}});
    launch(to, sort_as_published, bucket_grid(p), dim3(block_points), shared, bucket_view(p), memory.table,
           memory.arrived);
  }
  if (waits) to.read(p.count + p.instances, static_cast<std::int32_t>(p.rows));
}

/// One thread per cluster: the start of its members follows from the earlier clusters with a free place, at
/// most one per block. One thread block per instance; not timed.
__global__ __launch_bounds__(block_points) void list_clusters(const __grid_constant__ bucket_view v,
                                                              const std::uint32_t* table) {
  __shared__ unsigned warp_sum[warps_of_block];
  const int instance = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x % 32),
            warp = static_cast<int>(threadIdx.x / 32);
  const unsigned end = static_cast<unsigned>(v.count[instance + 1]);
  unsigned begun = v.begin_of(instance);
  for (unsigned first = static_cast<unsigned>(v.count[instance]); first < end; first += block_points) {
    const unsigned cluster = first + threadIdx.x, ratio = v.ratio;
    unsigned count = 0;
    if (cluster < end)
      while (count < ratio && table[cluster * ratio + count] < v.points) ++count;
    unsigned sum = count;
#pragma unroll
    for (int far = 1; far < 32; far *= 2) {
      const unsigned other = __shfl_up_sync(~0u, sum, far);
      if (lane >= far) sum += other;
    }
    if (lane == 31) warp_sum[warp] = sum;
    __syncthreads();
    unsigned before = begun, all = 0;
    for (int other = 0; other < warps_of_block; ++other) {
      if (other < warp) before += warp_sum[other];
      all += warp_sum[other];
    }
    begun += all;
    if (cluster < end) {
      const unsigned begin = before + sum - count;
      v.start[cluster] = begin;
      for (unsigned i = 0; i < count; ++i)
        if (begin + i < v.points) v.member[begin + i] = table[cluster * ratio + i];
    }
    __syncthreads();
  }
}

void list_table(launcher& to, const problem& p) {
  launch(to, list_clusters, dim3(static_cast<unsigned>(p.instances)), dim3(block_points), 0, bucket_view(p),
         scratch(p).table);
}

void counting_sort_published(launcher& to, const problem& p, const switches& s) {
  run_phases(to, p, s, index_as_published);
}

}  // namespace ablate::pool
