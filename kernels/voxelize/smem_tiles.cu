// Counting of batches whose grids do not fit the L2 together, each counter written once. Cleared by a kernel
// before, a grid has gone to device memory when its points are counted, and its lines come back for that.
// Here eight blocks have a cloud's grid in tiles of 16 KiB, dealt out in turn, so that a crowded part of the
// scene is everybody's. First the blocks find the cells of the cloud's points, merge equal ones in a warp,
// and each keeps a list of those in its tiles. Then they go through their tiles: a tile is counted in shared
// memory from the list, and stored whole.
//
// What came before, clusters that cleared 512 KiB and then added to it with a cluster barrier between such
// slabs, lost against warp_match. Read again: a barrier that releases waits until every store of its block
// has reached the L2, sixteen times a grid, with no more than the next slab's stores under way, from half of
// an SM's warps; and what was saved, lines that came back, are 2 MB of the 255 that cross on 32 KITTI scans
// (results/h200/voxelization). Bound by those bytes, whoever writes must never wait. So no block waits for
// another between its tiles here, and no tile for the one before it: three are on their way.
//
// `cluster=8`: the blocks are a cluster, each finds the cells of an eighth of the points, and takes what is
// in its tiles from the lists of the others through distributed shared memory; bulk copies store the tiles,
// and before, while points are looked for, zeros to the first of them, to which is added in the L2. Without:
// every block finds the cells of all points, and stores its tiles by vectors; for chips without clusters.
// Both halves of that can be had alone: `cluster=8` without `copy=bulk`, and the other way around. Layout as
// in global_atomic. Should move, against warp_match: launches, from two to one; reductions, to those of the
// first tiles; DRAM bytes, to points and one pass over the grids.
#include <cooperative_groups.h>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/tiles.h"
#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

constexpr int cloud_blocks = own_tiles::blocks, cells_of_tile = own_tiles::cells_of_tile;
constexpr int tile_threads = 512, tile_warps = tile_threads / 32;
constexpr int tiles_at_once = 3;   ///< counted or on their way to device memory
constexpr int tiles_ahead = 8;     ///< of a block: zeros until its list is made
constexpr int points_of_step = 2;  ///< of a thread
constexpr int entries_of_list = 256;

/// A cell and how many of a warp's 32 points are in it.
struct alignas(8) listed_cell {
  int cell, points;
};

/// What a warp found, in a list of its own.
struct warp_lists {
  listed_cell entries[tile_warps][entries_of_list];
  int lengths[tile_warps];
};

/// A block's shared memory.
struct tile_memory {
  int4 tiles[tiles_at_once][cells_of_tile / 4];
  warp_lists kept;    ///< cells of this block's tiles
  warp_lists listed;  ///< cells of all tiles, for the blocks of the cluster
};

/// Each block reads all points of its cloud, or each of a cluster's eight blocks reads an eighth of them.
enum class point_readers { block, cluster };

template <point_readers Readers>
constexpr std::size_t tile_memory_bytes = Readers == point_readers::cluster ? sizeof(tile_memory)
                                                                            : offsetof(tile_memory, listed);

/// Adds to a counter in shared memory.
__device__ inline void add_in_tile(int* counter, int points) { atomicAdd(counter, points); }
__device__ inline void add_in_tile(float* counter, int points) {
  atomicAdd(counter, static_cast<float>(points));
}
__device__ inline void add_in_tile(occupied* counter, int) { atomicOr(reinterpret_cast<int*>(counter), 1); }

/// How tiles are stored, and whether the first are zeros before.
enum class tile_stores { vectors, in_bulk };

template <point_readers Readers, tile_stores Stores, class Count, bool Instrumented>
class tile_owner {
  static constexpr bool is_clustered = Readers == point_readers::cluster;
  static constexpr bool stores_in_bulk = Stores == tile_stores::in_bulk;

 public:
  __device__ tile_owner(const view<Count>& v, tile_memory& own)
      : v_(v),
        own_(own),
        tiles_{v.cells_per_cloud, static_cast<int>(blockIdx.x)},
        lane_(static_cast<int>(threadIdx.x) % 32),
        warp_(static_cast<int>(threadIdx.x) / 32),
        next_(is_clustered ? static_cast<long long>(blockIdx.x) * tile_threads + threadIdx.x : threadIdx.x) {}

  __device__ void run(bool clears) {
    const int turns = tiles_.turns();
    const bool has_vectors = v_.cells_per_cloud % 4 == 0, in_bulk = stores_in_bulk && has_vectors;
    // What need not be cleared is all added to.
    const int added = !clears ? turns : in_bulk ? min(turns, tiles_ahead) : 0;
    if (clears && in_bulk) store_zeros(added);
    make_list();
    if (clears && in_bulk) wait_until_written();
    for_entries([&](const listed_cell& e) {
      if (own_tiles::turn_of(e.cell) < added)
        add_to_cell(v_.cloud_grid(), e.cell, static_cast<Count>(e.points), events_);
    });
    for (int turn = added; turn < turns; ++turn) count_tile(turn, in_bulk, has_vectors);
    if (in_bulk)
      wait_until_written();
    else
      __syncthreads();
    add_what_lists_lacked();
    events_.write(v_.events);
  }

 private:
  __device__ bool is_own(int cell) const { return cell >= 0 && own_tiles::block_of(cell) == tiles_.block; }

  /// Of the whole warp: whether it has points left.
  __device__ bool goes_on() const { return next_ - lane_ < v_.points_per_cloud; }

  /// Calls `take(leads, cell, points)` on the whole warp for the next points, 32 at a time.
  template <class Take>
  __device__ void step(Take take) {
    constexpr int threads = is_clustered ? cloud_blocks * tile_threads : tile_threads;
    int cells[points_of_step];
    v_.cells_of_points(cells, v_.cloud_points(), next_, threads, v_.points_per_cloud);
#pragma unroll
    for (int k = 0; k < points_of_step; ++k) {
      // Without a cluster all blocks see all points, and the first of them counts these.
      if ((is_clustered || blockIdx.x == 0) && next_ + k * threads < v_.points_per_cloud) {
        events_.add(points);
        if (lane_ == 0) events_.add(groups);
      }
      const int cell = is_clustered || is_own(cells[k]) ? cells[k] : -1;
      if (!__any_sync(whole_warp, cell >= 0)) continue;
      const merged_points merged = merge_by_match()(cell);
      const bool is_valid = cell >= 0;
      events_.add(valid, is_valid);
      events_.add(group_voxels, is_valid && merged.leads);
      events_.add(hits, is_valid && !merged.leads);
      take(is_valid && merged.leads, cell, merged.points);
    }
    next_ += points_of_step * threads;
  }

  /// Fills this warp's list as long as it has room for a step, and notes its length.
  __device__ void fill_list(warp_lists& lists) {
    int length = 0;
    while (goes_on() && length + points_of_step * 32 <= entries_of_list)
      step([&](bool leads, int cell, int points) {
        const unsigned leaders = __ballot_sync(whole_warp, leads);
        if (leads) lists.entries[warp_][length + __popc(leaders & ((1u << lane_) - 1))] = {cell, points};
        length += __popc(leaders);
      });
    if (lane_ == 0) lists.lengths[warp_] = length;
  }

  /// This warp's list of cells in the block's tiles; in a cluster, from the same warp of all its blocks.
  __device__ void make_list() {
    if constexpr (is_clustered) {
      fill_list(own_.listed);
      synchronize();
      int length = 0;
      for_entries_of_cluster([&](bool is_own_entry, const listed_cell& e) {
        const unsigned owned = __ballot_sync(whole_warp, is_own_entry);
        const int place = length + __popc(owned & ((1u << lane_) - 1));
        if (is_own_entry && place < entries_of_list) own_.kept.entries[warp_][place] = e;
        length += __popc(owned);
      });
      if (lane_ == 0) own_.kept.lengths[warp_] = length;
    } else {
      fill_list(own_.kept);
    }
    __syncwarp();
  }

  /// Calls `use(is_own, entry)` on the whole warp for what the same warp of each block of the cluster listed.
  template <class Use>
  __device__ void for_entries_of_cluster(Use use) {
#if __CUDA_ARCH__ >= 900
    constexpr int rounds = entries_of_list / 32;
    const auto listed_by = [&](int block) -> const warp_lists* {
      return cooperative_groups::this_cluster().map_shared_rank(&own_.listed, static_cast<unsigned>(block));
    };
    const int length = lane_ < cloud_blocks ? listed_by(lane_)->lengths[warp_] : 0;
#pragma unroll 1
    for (int i = 0; i < cloud_blocks; ++i) {
      const int block = (static_cast<int>(blockIdx.x) + i) % cloud_blocks;  // not all at the same one
      const int there = __shfl_sync(whole_warp, length, block);
      const listed_cell* const entries = listed_by(block)->entries[warp_];
      listed_cell found[rounds];
#pragma unroll
      for (int k = 0; k < rounds; ++k) {
        found[k] = {-1, 0};
        if (k * 32 + lane_ < there) found[k] = entries[k * 32 + lane_];
      }
#pragma unroll
      for (int k = 0; k < rounds; ++k) use(is_own(found[k].cell), found[k]);
    }
#endif
  }

  /// Calls `use(entry)` for each entry of this warp's list.
  template <class Use>
  __device__ void for_entries(Use use) const {
    const int length = min(own_.kept.lengths[warp_], entries_of_list);
    for (int i = lane_; i < length; i += 32) use(own_.kept.entries[warp_][i]);
  }

  /// Stores zeros to the first tiles.
  __device__ void store_zeros(int turns) {
    clear_tile(0);
    hand_to_copies();
    if (threadIdx.x != 0) return;
    for (int turn = 0; turn < turns; ++turn) store_in_bulk(turn, 0);
    commit_copies();
  }

  __device__ void count_tile(int turn, bool in_bulk, bool has_vectors) {
    const int at = turn % tiles_at_once;
    if (in_bulk && threadIdx.x == 0) wait_until_read();
    __syncthreads();
    clear_tile(at);
    __syncthreads();
    auto* const counts = reinterpret_cast<Count*>(own_.tiles[at]);
    for_entries([&](const listed_cell& e) {
      if (own_tiles::turn_of(e.cell) == turn) add_in_tile(counts + own_tiles::place_of(e.cell), e.points);
    });
    if (in_bulk) {
      hand_to_copies();
      if (threadIdx.x != 0) return;
      store_in_bulk(turn, at);
      commit_copies();
    } else {
      __syncthreads();
      Count* const out = v_.cloud_grid() + tiles_.first_cell(turn);
      const int cells = tiles_.cells_in(turn);
      if (has_vectors) {
        for (int i = static_cast<int>(threadIdx.x); i < cells / 4; i += tile_threads)
          reinterpret_cast<int4*>(out)[i] = own_.tiles[at][i];
      } else {
        for (int i = static_cast<int>(threadIdx.x); i < cells; i += tile_threads) out[i] = counts[i];
      }
    }
  }

  __device__ void clear_tile(int at) {
    for (int i = static_cast<int>(threadIdx.x); i < cells_of_tile / 4; i += tile_threads)
      own_.tiles[at][i] = make_int4(0, 0, 0, 0);
  }

  /// Entries and points for which a list had no room, after everything: entries of this block's tiles when
  /// those are written, points of the cluster when all are.
  __device__ void add_what_lists_lacked() {
    Count* const grid = v_.cloud_grid();
    if constexpr (is_clustered) {
      if (own_.kept.lengths[warp_] > entries_of_list) {
        int before = 0;
        for_entries_of_cluster([&](bool is_own_entry, const listed_cell& e) {
          const unsigned owned = __ballot_sync(whole_warp, is_own_entry);
          if (is_own_entry && before + __popc(owned & ((1u << lane_) - 1)) >= entries_of_list)
            add_to_cell(grid, e.cell, static_cast<Count>(e.points), events_);
          before += __popc(owned);
        });
      }
      synchronize();
    }
    while (goes_on())
      step([&](bool leads, int cell, int points) {
        if (leads) add_to_cell(grid, cell, static_cast<Count>(points), events_);
      });
  }

  // Of Hopper alone.

  __device__ static void synchronize() {
#if __CUDA_ARCH__ >= 900
    hopper::synchronize_cluster();
#endif
  }
  /// What all threads wrote to shared memory may be copied by the first one.
  __device__ static void hand_to_copies() {
#if __CUDA_ARCH__ >= 900
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
#endif
  }
  __device__ void store_in_bulk(int turn, int at) const {
#if __CUDA_ARCH__ >= 900
    const auto bytes = static_cast<unsigned>(sizeof(Count)) * static_cast<unsigned>(tiles_.cells_in(turn));
    cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared,
                             v_.cloud_grid() + tiles_.first_cell(turn), own_.tiles[at], bytes);
#endif
  }
  __device__ static void commit_copies() {
#if __CUDA_ARCH__ >= 900
    cuda::ptx::cp_async_bulk_commit_group();
#endif
  }
  /// By the first thread: the tile counted `tiles_at_once` turns ago has been read.
  __device__ static void wait_until_read() {
#if __CUDA_ARCH__ >= 900
    cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<tiles_at_once - 1>());
#endif
  }
  /// By all threads: what this block stored in bulk can be added to.
  __device__ static void wait_until_written() {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
    __syncthreads();
#endif
  }

  const view<Count>& v_;
  tile_memory& own_;
  const own_tiles tiles_;
  const int lane_, warp_;
  long long next_;  ///< this thread's next point
  tally<Instrumented> events_;
};

/// Clusters store in bulk, single blocks by vectors.
template <point_readers Readers, class Count, bool Instrumented>
__global__ __launch_bounds__(tile_threads, 2) void count_by_tiles(const __grid_constant__ view<Count> v,
                                                                  bool clears) {
  extern __shared__ int4 of_tiles[];
  constexpr tile_stores stores =
      Readers == point_readers::cluster ? tile_stores::in_bulk : tile_stores::vectors;
  tile_owner<Readers, stores, Count, Instrumented>(v, *reinterpret_cast<tile_memory*>(of_tiles)).run(clears);
}

/// The other way around.
template <point_readers Readers, class Count, bool Instrumented>
__global__ __launch_bounds__(tile_threads,
                             2) void count_by_tiles_stored_otherwise(const __grid_constant__ view<Count> v,
                                                                     bool clears) {
  extern __shared__ int4 of_tiles[];
  constexpr tile_stores stores =
      Readers == point_readers::cluster ? tile_stores::vectors : tile_stores::in_bulk;
  tile_owner<Readers, stores, Count, Instrumented>(v, *reinterpret_cast<tile_memory*>(of_tiles)).run(clears);
}

template <point_readers Readers>
void launch_tiles(launcher& to, const problem& p, tile_stores stores) {
  constexpr bool is_clustered = Readers == point_readers::cluster;
  const bool as_usual = is_clustered == (stores == tile_stores::in_bulk);
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to,
           as_usual ? count_by_tiles<Readers, Count, instrumented>
                    : count_by_tiles_stored_otherwise<Readers, Count, instrumented>,
           {.grid = dim3(cloud_blocks, static_cast<unsigned>(p.batch)),
            .block = dim3(tile_threads),
            .dynamic_shared_bytes = tile_memory_bytes<Readers>,
            .cluster_blocks = is_clustered ? unsigned{cloud_blocks} : 1},
           view<Count>(p), p.clears_grid);
  });
}

void smem_tiles(launcher& to, const problem& p, const switches& s) {
  const tile_stores stores = s.has("copy") ? tile_stores::in_bulk : tile_stores::vectors;
  (s.has("cluster") ? launch_tiles<point_readers::cluster> : launch_tiles<point_readers::block>)(to, p,
                                                                                                 stores);
}

}  // namespace ablate::voxelize
