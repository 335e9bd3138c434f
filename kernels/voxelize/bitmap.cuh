#pragma once

#include <cooperative_groups.h>

#include "kernels/common/min_max.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// Occupancy by bitmaps in shared memory: the grid as one bit per cell, private to a block or split among the
/// blocks of a cluster. Each marked cell is set to 1 in device memory once, at the end, by stores of 32
/// neighboring cells. A grid with more bits than fit is cut into slabs of consecutive cells, and the points
/// are read once per slab.

/// Blocks are large because no two fit on one SM, by registers if not by bitmaps.
constexpr int bitmap_threads = 1024;

/// How a problem's cells and points are split. A word holds 32 cells.
struct bitmap_shares {
  int words;               ///< in one block's bitmap, a multiple of 32
  int slabs;               ///< each one takes a whole cluster's bitmaps
  int points_per_cluster;  ///< every slab reads all points of the cloud

  bitmap_shares(const launcher& to, const problem& p, int cluster_blocks) {
    constexpr long long group = 32;
    const long long words_of_grid = (p.cells_per_cloud() + 31) / 32;
    const long long max_words =
        static_cast<long long>(to.device().shared_bytes_per_block) / 4 / group * group;
    slabs = static_cast<int>(blocks_for(words_of_grid, cluster_blocks * max_words));
    words = static_cast<int>(group * blocks_for(words_of_grid, group * slabs * cluster_blocks));
    // One wave of blocks, one on each SM: clearing and writing back a bitmap costs the same for few points as
    // for many.
    const long long clusters =
        std::max(1ll, to.device().multiprocessors / (1ll * cluster_blocks * slabs * p.batch));
    const long long threads = 1ll * cluster_blocks * bitmap_threads;
    points_per_cluster = static_cast<int>(
        threads * std::max(1u, blocks_for(blocks_for(p.points_per_cloud, clusters), threads)));
  }
};

/// Sets to 1 the cells, starting at `first`, whose bits are set in this block's bitmap.
__device__ inline void write_marks(occupied* grid, long long first, const unsigned* bits, int words) {
  const int lane = threadIdx.x % warpSize;
  for (int group = threadIdx.x - lane; group < words; group += bitmap_threads) {
    const unsigned mine = bits[group + lane];
    for (unsigned left = __ballot_sync(0xffffffffu, mine != 0); left != 0; left &= left - 1) {
      const int word = __ffs(left) - 1;
      if (__shfl_sync(0xffffffffu, mine, word) >> lane & 1)
        grid[first + 32ll * (group + word) + lane] = occupied{1};
    }
  }
}

template <int ClusterBlocks, bool Instrumented>
__global__ __launch_bounds__(bitmap_threads) void mark_in_bitmap(view<occupied> v, int words,
                                                                 int points_per_cluster) {
  extern __shared__ unsigned bits[];
  tally<Instrumented> events;
  const unsigned rank = blockIdx.x % ClusterBlocks;
  const unsigned cells_of_block = 32u * words;
  const long long first_of_slab = 1ll * blockIdx.z * ClusterBlocks * cells_of_block;
  const auto wait_for_cluster = [] {
    if constexpr (ClusterBlocks == 1) {
      __syncthreads();
    } else {
#if __CUDA_ARCH__ >= 900
      cooperative_groups::this_cluster().sync();
#endif
    }
  };
  /// The bitmap of block `owner` of the cluster, which holds that share of the slab's cells.
  const auto bitmap_of = [](unsigned owner) -> unsigned* {
    if constexpr (ClusterBlocks == 1) {
      return bits;
    } else {
#if __CUDA_ARCH__ >= 900
      return cooperative_groups::this_cluster().map_shared_rank(bits, owner);
#else
      return nullptr;
#endif
    }
  };

  for (int word = threadIdx.x; word < words; word += bitmap_threads) bits[word] = 0;
  wait_for_cluster();

  const long long first = 1ll * (blockIdx.x / ClusterBlocks) * points_per_cluster;
  const long long end = min(first + points_per_cluster, v.points_per_cloud);
  constexpr unsigned stride = ClusterBlocks * bitmap_threads;
  for (long long round = first + rank * bitmap_threads + threadIdx.x; round < end;
       round += points_at_once * stride) {
    int cells[points_at_once];
    v.cells_of_points(cells, v.cloud_points(), round, stride, end);
#pragma unroll
    for (int k = 0; k < points_at_once; ++k) {
      const int cell = cells[k];
      if (blockIdx.z == 0) events.add(points, round + k * stride < end);
      // Wraps around to a large number for a point outside the grid or in an earlier slab.
      const auto in_slab = static_cast<unsigned long long>(cell) - first_of_slab;
      if (cell < 0 || in_slab >= 1ull * ClusterBlocks * cells_of_block) continue;
      events.add(valid);
      const auto place = static_cast<unsigned>(in_slab);
      const unsigned owner = ClusterBlocks == 1 ? 0 : place / cells_of_block;
      const unsigned in_block = place - owner * cells_of_block, bit = 1u << in_block % 32;
      const unsigned before = atomicOr(bitmap_of(owner) + in_block / 32, bit);
      events.add(before & bit ? hits : group_voxels);
    }
  }
  wait_for_cluster();

  if (threadIdx.x == 0) events.add(groups);
  write_marks(v.cloud_grid(), first_of_slab + 1ll * rank * cells_of_block, bits, words);
  events.write(v.events);
}

template <int ClusterBlocks>
void launch_bitmap(launcher& to, const problem& p) {
  const bitmap_shares shares(to, p, ClusterBlocks);
  const dim3 grid(ClusterBlocks * blocks_for(p.points_per_cloud, shares.points_per_cluster),
                  static_cast<unsigned>(p.batch), static_cast<unsigned>(shares.slabs));
  ablate::with_form(p, [&](auto instrumented) {
    launch(to, mark_in_bitmap<ClusterBlocks, instrumented>,
           {.grid = grid,
            .block = dim3(bitmap_threads),
            .dynamic_shared_bytes = sizeof(unsigned) * shares.words,
            .cluster_blocks = ClusterBlocks},
           view<occupied>(p), shares.words, shares.points_per_cluster);
  });
}

}  // namespace ablate::voxelize
