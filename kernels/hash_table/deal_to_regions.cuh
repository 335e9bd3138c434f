// The first step of a table built by regions (regions.cuh): rows to the queues of their regions. A block
// counts its 8192 rows by region in shared memory, and reserves its part of each queue.
// The rows are put in the order of their regions in shared memory first, so that neighboring lanes write
// neighboring entries: else each lane would write a line of L2 for each row.
//   `ClusterBlocks`: blocks that reserve together. Each adds up the counts of its share of the regions, found
//   in the shared memory of the others, and reserves for all of them with one atomic: at 2^25 slots a block
//   alone has two rows for a region, so that its atomics are nearly as many as its entries.
// Should move: sectors of atomics in L2, down by the blocks of a cluster; stores of runs, merged in L2.
#pragma once

#include <cooperative_groups.h>

#include <cub/block/block_scan.cuh>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/hash_table/regions.cuh"

namespace ablate::hash_table {

constexpr int deal_threads = 512, dealt_per_thread = 16, dealt_per_block = deal_threads * dealt_per_thread;
constexpr int regions_per_thread = max_regions / deal_threads;

/// Shared memory of a block that deals.
constexpr std::size_t deal_bytes(unsigned regions) {
  const std::size_t keys = dealt_per_block * sizeof(unsigned long long), counts = regions * sizeof(unsigned);
  return keys + counts + (dealt_per_block + regions) * sizeof(unsigned short);
}

/// Replaces counts[region] of a block, or of every block of its cluster, by the first place that its rows
/// have in the region's queue.
template <unsigned ClusterBlocks>
__device__ void reserve_places(const region_table& into, unsigned* counts) {
  if constexpr (ClusterBlocks == 1) {
#pragma unroll 4
    for (unsigned region = threadIdx.x; region < into.regions; region += deal_threads)
      if (counts[region] != 0) counts[region] = into.reserve(region, counts[region]);
    __syncthreads();
  } else {
#if __CUDA_ARCH__ >= 900
    const auto cluster = cooperative_groups::this_cluster();
    const unsigned share = (into.regions + ClusterBlocks - 1) / ClusterBlocks;
    const unsigned first = cluster.block_rank() * share, end = min(first + share, into.regions);
    cluster.sync();
    for (unsigned region = first + threadIdx.x; region < end; region += deal_threads) {
      unsigned found[ClusterBlocks], all = 0;
#pragma unroll
      for (unsigned block = 0; block < ClusterBlocks; ++block) {
        found[block] = cluster.map_shared_rank(counts, block)[region];
        all += found[block];
      }
      unsigned place = all == 0 ? 0 : into.reserve(region, all);
#pragma unroll
      for (unsigned block = 0; block < ClusterBlocks; ++block) {
        cluster.map_shared_rank(counts, block)[region] = place;
        place += found[block];
      }
    }
    cluster.sync();
#endif
  }
}

/// Shared memory: keys [rows of a block]; of each region the count, later the place, of its rows; rows in the
/// order of their regions, and where each region begins there.
template <unsigned ClusterBlocks>
__global__ __launch_bounds__(deal_threads, 2) void deal_to_regions(const region_table into,
                                                                   const coordinate* rows, long long count) {
  using scan = cub::BlockScan<unsigned, deal_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  extern __shared__ unsigned long long memory_of_deal[];
  __shared__ typename scan::TempStorage storage;
  auto* const keys = memory_of_deal;
  auto* const counts = reinterpret_cast<unsigned*>(keys + dealt_per_block);
  auto* const order = reinterpret_cast<unsigned short*>(counts + into.regions);
  auto* const begins = order + dealt_per_block;
  const long long first_row = static_cast<long long>(blockIdx.x) * dealt_per_block;
  const auto dealt =
      static_cast<unsigned>(max(0ll, min(count - first_row, static_cast<long long>(dealt_per_block))));
  for (unsigned region = threadIdx.x; region < into.regions; region += deal_threads) counts[region] = 0;
  __syncthreads();

  // A row's region and its rank among the block's rows of that region.
  constexpr int loaded = 8, rank_bits = 13;
  static_assert(dealt_per_block == 1 << rank_bits);
  unsigned region_and_rank[dealt_per_thread];
#pragma unroll
  for (int first = 0; first < dealt_per_thread; first += loaded) {
    coordinate at[loaded];
#pragma unroll
    for (int k = 0; k < loaded; ++k) {
      const unsigned i = (first + k) * deal_threads + threadIdx.x;
      if (i < dealt) at[k] = rows[first_row + i];
    }
#pragma unroll
    for (int k = 0; k < loaded; ++k) {
      const unsigned i = (first + k) * deal_threads + threadIdx.x;
      if (i >= dealt) continue;
      const unsigned long long key = pack(at[k]);
      const unsigned region = into.slot_of(key) >> into.shift;
      keys[i] = key;
      region_and_rank[first + k] = region << rank_bits | atomicAdd(counts + region, 1u);
    }
  }
  __syncthreads();

  const unsigned first_region = threadIdx.x * regions_per_thread;
  const unsigned end_region = min(first_region + regions_per_thread, into.regions);
  unsigned all = 0, begin = 0;
  for (unsigned region = first_region; region < end_region; ++region) all += counts[region];
  scan(storage).ExclusiveSum(all, begin);
  for (unsigned region = first_region; region < end_region; ++region) {
    begins[region] = static_cast<unsigned short>(begin);
    begin += counts[region];
  }
  __syncthreads();
  wait_for_previous_kernel();
  reserve_places<ClusterBlocks>(into, counts);

#pragma unroll
  for (int k = 0; k < dealt_per_thread; ++k) {
    const unsigned i = k * deal_threads + threadIdx.x;
    if (i >= dealt) continue;
    const unsigned region = region_and_rank[k] >> rank_bits, rank = region_and_rank[k] % (1u << rank_bits);
    order[begins[region] + rank] = static_cast<unsigned short>(i);
  }
  __syncthreads();
  for (unsigned sorted = threadIdx.x; sorted < dealt; sorted += deal_threads) {
    const unsigned i = order[sorted];
    const unsigned long long key = keys[i];
    const unsigned slot = into.slot_of(key), region = slot >> into.shift;
    into.queue(counts[region] + sorted - begins[region], key, slot, static_cast<int>(first_row + i));
  }
  let_next_kernel_begin();
}

}  // namespace ablate::hash_table
