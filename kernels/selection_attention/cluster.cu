// Attention to selected blocks by neighbors that share what they read, over the blocks of a cluster.
//   S = Q·Kᵀ, P = 2^(c·s − m), O += P·V as in shared.cu: a warp has 16 queries, and the warps of a thread
//   block meet each key block that one of their lists names once, in a ring of stages in shared memory. Here
//   tiles come by the tensor memory accelerator, and a copy goes to all thread blocks of the cluster in which
//   a warp wants it (multicast): so a key block crosses the path from L2 once for 8, 16 or 32 neighboring
//   query tiles, and no thread block receives what none of its warps wants.
// All blocks of a cluster go through one union in step. A slot of a stage that a block does not want stays as
// it was. Blocks that take a tile bring it by turns (cluster_shares.h); who brings waits until the warps of
// all blocks have left the stage, which they tell every block's barrier. A block whose warps want few tiles
// of a stage waits for those of the others all the same: what is saved has to be worth that.
// Should move: bytes from L2,
// by how much more 16 or 32 lists share than 8.
#include <cooperative_groups.h>

#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/selection_attention/block_union.cuh"
#include "kernels/selection_attention/cluster_shares.h"
#include "kernels/selection_attention/launches.h"
#include "kernels/selection_attention/shared_tile.cuh"
#include "kernels/selection_attention/store_pairs.cuh"

namespace ablate::selection_attention {
namespace by_cluster {

constexpr int warps_with_queries = 8, cluster_threads = 32 * (warps_with_queries + 1);
constexpr int slots = 4, ring_stages = 4;  ///< tiles of a stage
constexpr unsigned pair_bytes = 2 * tile_bytes;

template <int Cluster>
using cluster_union = block_union<warps_with_queries * Cluster, warps_with_queries + 1>;

/// Boxes of 16 rows.
struct tile_maps {
  CUtensorMap keys, values;
};

struct ring_memory {
  alignas(1024) unsigned char pairs[ring_stages][slots][pair_bytes];  ///< of a tile: keys, then values
  std::uint64_t full[ring_stages], empty[ring_stages];
  // Behind it: the union.
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Of this thread block and of the others of its cluster.
template <int Cluster>
__device__ void wait_for_cluster() {
  if constexpr (Cluster > 1)
    cooperative_groups::this_cluster().sync();
  else
    __syncthreads();
}

/// To this place in each of the takers; its bytes arrive at the same barrier in each.
template <int Cluster>
__device__ void copy_to_takers(void* to, const CUtensorMap& map, int row, int head, std::uint64_t& full,
                               unsigned takers) {
  if constexpr (Cluster > 1) {
    const int at[] = {0, row, 0, head};
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, to, &map, at, &full,
                                    static_cast<std::uint16_t>(takers));
  } else {
    hopper::copy_box_in<width>(to, map, row, 0, head, full);
  }
}

/// A block's tiles of the union, in order: the same for all blocks of a cluster.
template <int Cluster>
struct union_tiles {
  const cluster_union<Cluster>& named;
  int log2_in_block;

  __device__ int count() const { return named.count() << log2_in_block; }
  __device__ unsigned lists(int i) const { return named.lists(i >> log2_in_block); }
  __device__ int row(int i) const {
    return ((named.block(i >> log2_in_block) << log2_in_block) + (i & ((1 << log2_in_block) - 1))) * tile;
  }
};

/// One thread: brings this block's share to all that take it.
template <int Cluster>
__device__ void bring(const tile_maps& maps, const union_tiles<Cluster>& tiles, int head, int rank,
                      ring_memory& shared) {
  constexpr cluster_shares shares{Cluster, warps_with_queries};
  hopper::ring_position ring;
#pragma unroll 1
  for (int first = 0; first < tiles.count(); first += slots) {
    const int end = min(first + slots, tiles.count());
    hopper::wait_in_cluster(shared.empty[ring.stage], ring.parity ^ 1);
    unsigned taken = 0;
    for (int i = first; i < end; ++i) taken += shares.takers(tiles.lists(i)) >> rank & 1;
    hopper::arrive_expecting(shared.full[ring.stage], taken * pair_bytes);
#pragma unroll 1
    for (int i = first; i < end; ++i) {
      const unsigned takers = shares.takers(tiles.lists(i));
      if (shares.bringer(takers, i) != rank) continue;
      unsigned char* const to = shared.pairs[ring.stage][i - first];
      copy_to_takers<Cluster>(to, maps.keys, tiles.row(i), head, shared.full[ring.stage], takers);
      copy_to_takers<Cluster>(to + tile_bytes, maps.values, tiles.row(i), head, shared.full[ring.stage],
                              takers);
    }
    ring.template advance<ring_stages>();
  }
}

/// The A fragments of 16 rows, from device memory.
__device__ inline void load_queries(unsigned (&query)[width / 16][4], const unsigned char* rows) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned char* const at = rows + lane / 4 * row_bytes + lane % 4 * 4;
#pragma unroll
  for (int step = 0; step < width / 16; ++step)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      query[step][j] =
          __ldg(reinterpret_cast<const unsigned*>(at + j % 2 * 8 * row_bytes + step * 32 + j / 2 * 16));
}

/// A warp with its 16 queries. `list`: its number in the cluster.
template <int Cluster, row_gate Gate>
__device__ void attend(const view& v, const union_tiles<Cluster>& tiles, const work_item& at, unsigned list,
                       ring_memory& shared) {
  const bool attends = at.attends(v);
  unsigned query[width / 16][4] = {};
  if (attends)
    load_queries(query, v.q + at.head * v.tokens * row_bytes + static_cast<long long>(at.tile) * tile_bytes);
  softmax_rows<softmax_form::lazy> rows;
  hopper::ring_position ring;
#pragma unroll 1
  for (int first = 0; first < tiles.count(); first += slots) {
    const int end = min(first + slots, tiles.count());
    hopper::wait(shared.full[ring.stage], ring.parity);
#pragma unroll 1
    for (int i = first; i < end; ++i)
      if (attends && (tiles.lists(i) >> list & 1) != 0)
        attend_to_tile(rows, query, hopper::shared_address(shared.pairs[ring.stage][i - first]),
                       v.scale_log2);
    __syncwarp();
    hopper::arrive_in_cluster<Cluster>(hopper::shared_address(&shared.empty[ring.stage]));
    ring.template advance<ring_stages>();
  }
  if (!attends) return;
#pragma unroll
  for (int half = 0; half < 2; ++half)
    store_pairs<Gate>(v, rows, half, at.head,
                      static_cast<long long>(at.tile) * tile + threadIdx.x % 32 / 4 + 8 * half);
}

#endif

/// blockIdx.x: clusters, each of them 8 query tiles a block, then heads.
template <int Cluster, row_gate Gate>
__global__ __launch_bounds__(cluster_threads,
                             2) void attend_in_cluster(const __grid_constant__ tile_maps maps,
                                                       const __grid_constant__ view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  unsigned char* const memory = raw + (misaligned == 0 ? 0 : 1024 - misaligned);
  auto& shared = *reinterpret_cast<ring_memory*>(memory);
  constexpr int lists = warps_with_queries * Cluster;
  const int clusters = (v.tiles + lists - 1) / lists, cluster = static_cast<int>(blockIdx.x) / Cluster;
  const int rank = static_cast<int>(blockIdx.x) % Cluster, warp = static_cast<int>(threadIdx.x) / 32;
  const work_item first(cluster / clusters, cluster % clusters * lists);
  if (threadIdx.x == 0) {
    for (int s = 0; s < ring_stages; ++s) {
      hopper::initialize(shared.full[s], 1);
      hopper::initialize(shared.empty[s], warps_with_queries * Cluster);
    }
    hopper::fence_initialization();
  }
  cluster_union<Cluster> named(v.blocks, memory + sizeof(ring_memory));
  named.build(v, first);
  wait_for_cluster<Cluster>();  // all barriers are there
  const union_tiles<Cluster> tiles{named, v.log2_in_block};
  if (warp == warps_with_queries) {
    if (threadIdx.x % 32 == 0) bring(maps, tiles, first.head, rank, shared);
  } else {
    const int list = rank * warps_with_queries + warp;
    attend<Cluster, Gate>(v, tiles, work_item(first.head, first.tile + list), static_cast<unsigned>(list),
                          shared);
  }
  __syncwarp();
  wait_for_cluster<Cluster>();  // others may still bring to this block, and tell its barriers
#endif
}

template <int Cluster>
void run(launcher& to, const view& v, const tile_maps& maps, bool gated) {
  const unsigned clusters =
      blocks_for(v.tiles, warps_with_queries * Cluster) * static_cast<unsigned>(v.heads);
  launch(to,
         gated ? attend_in_cluster<Cluster, row_gate::applied> : attend_in_cluster<Cluster, row_gate::none>,
         {.grid = dim3(clusters * Cluster),
          .block = dim3(cluster_threads),
          .dynamic_shared_bytes = sizeof(ring_memory) + cluster_union<Cluster>::bytes(v.blocks) + 1024,
          .cluster_blocks = Cluster},
         maps, v);
}

}  // namespace by_cluster

void cluster(launcher& to, const problem& p, const switches& s) {
  using namespace by_cluster;
  const view v(p, true);
  const auto map_of = [&](const std::uint16_t* base) {
    return hopper::row_boxes(to, {base, p.heads, p.tokens, 1, width, width}, tile);
  };
  const tile_maps maps = {map_of(p.k), map_of(p.v)};
  switch (s.integer("cluster")) {
    case 4:
      return run<4>(to, v, maps, p.is_gated);
    case 2:
      return run<2>(to, v, maps, p.is_gated);
    default:
      return run<1>(to, v, maps, p.is_gated);
  }
}

}  // namespace ablate::selection_attention
