// Means by blocks that own cells, in one launch. With few occupied cells, as in one scan, clearing the grid
// dominates: 42 MB for 128 x 128 x 128 cells with four features, 10.9 us of the 17.7 that the best variant on
// KITTI takes on an H200 (results/h200/voxel_features). The rest, sums in device memory and a second read of
// counts to divide, runs in further launches. A hash table of sums in device memory, filled while other
// blocks cleared, saved none of them: the table itself must be cleared before and read after, and it was no
// faster.
//
// Here blocks own tiles of 1024 cells, assigned round-robin. First each block computes the cells of its share
// of the points and stores them, 4 bytes a point; all blocks synchronize; then each scans all of them for its
// own, lists these, and sums their features in a hash table in shared memory, lanes of one cell first. By
// then its tiles are zero, and the few means and counts overwrite the zeros. Every block reads all cells, so
// this is for scans: 69 KB a block for KITTI, from L2. A cell without a free slot within 32 probes is summed
// in device memory, and divided by a pass over the block's tiles.
//
// `copy=bulk`: zeros are written by bulk copies of one zeroed buffer, issued first and awaited only before
// the means are stored; without it, threads store zeros after the synchronization. Layout as in point_atomic.
// Should move: launches, from three to one; reductions, to none; time, to that of the zeros.
#include <cooperative_groups.h>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

constexpr int owner_threads = 1024;
constexpr int cells_of_tile = 1024;
constexpr int zero_vectors = 1024;  ///< of 16 bytes, in shared memory
constexpr int max_entries = 4096;   ///< of a block's list
constexpr int max_probes = 32;
constexpr int vectors_at_once = 4;  ///< of four cells, loaded by a thread before the first is looked at
constexpr int no_owned_cell = -1;

/// A block's own points.
struct alignas(8) owned_point {
  int cell, point;  ///< among those of all clouds
};

/// A block's shared memory.
template <int Features>
struct owner_memory {
  static constexpr int log2_slots = Features <= 8 ? 10 : 8, slots = 1 << log2_slots;

  uint4 zeros[zero_vectors];
  owned_point list[max_entries];
  int keys[slots], counts[slots];
  float sums[slots][Features];
  int listed, lacks_slots;
};

/// How zeros get to the grid: stored by threads when the blocks have met, or by bulk copies from the first
/// instruction on.
enum class zero_stores { by_threads, in_bulk };

/// What a search for a slot does where the cell has none.
enum class if_absent { report, claim };

template <int Features, zero_stores Zeros>
class cell_owner {
 public:
  __device__ cell_owner(const view& v, int* found, long long all_points, long long all_cells,
                        owner_memory<Features>& own)
      : v_(v), found_(found), all_points_(all_points), all_cells_(all_cells), own_(own) {}

  __device__ void run(bool clears) {
    const int thread = static_cast<int>(threadIdx.x);
    if (in_bulk && clears) store_zeros_in_bulk();
    find_cells();
    for (int s = thread; s < memory::slots; s += owner_threads) {
      own_.keys[s] = no_owned_cell;
      own_.counts[s] = 0;
    }
    for (int i = thread; i < memory::slots * Features; i += owner_threads)
      own_.sums[i / Features][i % Features] = 0;
    if (thread == 0) own_.listed = own_.lacks_slots = 0;
    cooperative_groups::this_grid().sync();
    if (clears) in_bulk ? store_cut_tile() : store_zeros();
    list_points();
    __syncthreads();
    sum_list();
    wait_for_zeros();
    if (own_.lacks_slots != 0) {
      sum_in_device_memory();
      __syncthreads();
    }
    write_means();
  }

 private:
  using memory = owner_memory<Features>;
  static constexpr int width = vector_width<Features>;
  static constexpr bool in_bulk = Zeros == zero_stores::in_bulk;

  __device__ static bool is_own(int cell) {
    return cell >= 0 && static_cast<unsigned>(cell) / cells_of_tile % gridDim.x == blockIdx.x;
  }
  /// Calls `use(first, cells)` for each of this block's tiles.
  template <class Use>
  __device__ void for_tiles(Use use) const {
    for (long long first = 1ll * blockIdx.x * cells_of_tile; first < all_cells_;
         first += 1ll * gridDim.x * cells_of_tile)
      use(static_cast<int>(first),
          static_cast<int>(min(all_cells_ - first, static_cast<long long>(cells_of_tile))));
  }

  /// The cells of a share of all points, and of those that fill the last vector of four.
  __device__ void find_cells() const {
    const long long padded = (all_points_ + 3) / 4 * 4;
    for (long long i = 1ll * blockIdx.x * owner_threads + threadIdx.x; i < padded;
         i += 1ll * gridDim.x * owner_threads) {
      int cell = no_owned_cell;
      if (i < all_points_) {
        const long long cloud = i / v_.points_per_cloud;
        const int in_cloud = v_.cell_of(v_.points[3 * i], v_.points[3 * i + 1], v_.points[3 * i + 2]);
        if (in_cloud >= 0) cell = static_cast<int>(cloud * v_.cells_per_cloud) + in_cloud;
      }
      found_[i] = cell;
    }
  }

  __device__ void list_points() {
    const auto* const vectors = reinterpret_cast<const int4*>(found_);
    const long long all = (all_points_ + 3) / 4;
    for (long long first = threadIdx.x; first < all; first += vectors_at_once * owner_threads) {
      int4 cells[vectors_at_once];
#pragma unroll
      for (int k = 0; k < vectors_at_once; ++k) {
        const long long i = first + k * owner_threads;
        cells[k] = i < all ? __ldcg(vectors + i)
                           : make_int4(no_owned_cell, no_owned_cell, no_owned_cell, no_owned_cell);
      }
#pragma unroll
      for (int k = 0; k < vectors_at_once; ++k) {
        const int each[] = {cells[k].x, cells[k].y, cells[k].z, cells[k].w};
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (is_own(each[j])) list_point(each[j], static_cast<int>(4 * (first + k * owner_threads)) + j);
      }
    }
  }

  __device__ void list_point(int cell, int point) {
    const int place = atomicAdd(&own_.listed, 1);
    if (place < max_entries) {
      own_.list[place] = {cell, point};
      return;
    }
    const int slot = slot_of<if_absent::claim>(cell);
    if (slot < 0) return note_lack();
    atomicAdd(own_.counts + slot, 1);
    for (int f = 0; f < Features; ++f)
      atomicAdd(own_.sums[slot] + f, v_.point_features[static_cast<long long>(Features) * point + f]);
  }

  __device__ void note_lack() { atomicOr(&own_.lacks_slots, 1); }

  /// The slot of a cell, or −1: a cell that once found none never gets one, since slots are not given back.
  template <if_absent Then>
  __device__ int slot_of(int cell) const {
    const unsigned start = (static_cast<unsigned>(cell) * 2654435761u) >> (32 - memory::log2_slots);
    for (unsigned k = 0; k < max_probes; ++k) {
      const unsigned slot = (start + k) % memory::slots;
      int owner = own_.keys[slot];
      if (owner == no_owned_cell) {
        if (Then == if_absent::report) return -1;
        owner = atomicCAS(own_.keys + slot, no_owned_cell, cell);
      }
      if (owner == no_owned_cell || owner == cell) return static_cast<int>(slot);
    }
    return -1;
  }

  __device__ void sum_list() {
    const int listed = min(own_.listed, max_entries);
    for (int first = 0; first < listed; first += owner_threads) {
      const int i = first + static_cast<int>(threadIdx.x);
      const owned_point entry = i < listed ? own_.list[i] : owned_point{no_owned_cell, 0};
      const lane_peers peers(entry.cell);
      const bool adds = entry.cell >= 0 && peers.leads();
      int slot = -1;
      if (adds) slot = slot_of<if_absent::claim>(entry.cell);
      if (adds && slot < 0) note_lack();
      if (slot >= 0) atomicAdd(own_.counts + slot, peers.count());
#pragma unroll 2
      for (int f = 0; f < Features; f += width) {
        float sums[width] = {};
        if (entry.cell >= 0)
          load(sums, v_.point_features + static_cast<long long>(Features) * entry.point + f);
        peers.sum(sums);
        if (slot >= 0)
          for (int k = 0; k < width; ++k) atomicAdd(own_.sums[slot] + f + k, sums[k]);
      }
    }
  }

  /// The cells without a slot: their counts, their sums, and their means.
  __device__ void sum_in_device_memory() {
    for (long long i = threadIdx.x; i < all_points_; i += owner_threads) {
      const int cell = __ldcg(found_ + i);
      if (!is_own(cell) || slot_of<if_absent::report>(cell) >= 0) continue;
      atomicAdd(v_.count + cell, 1);
      for (int f = 0; f < Features; ++f)
        atomicAdd(v_.template sums_of<Features>(cell) + f, v_.point_features[Features * i + f]);
    }
    __threadfence();
    __syncthreads();
    for_tiles([&](int first, int cells) {
      for (int c = static_cast<int>(threadIdx.x); c < cells; c += owner_threads) {
        const int points = __ldcg(v_.count + first + c);
        if (points == 0) continue;
        float* const sums = v_.template sums_of<Features>(first + c);
        for (int f = 0; f < Features; ++f) sums[f] = __fdiv_rn(__ldcg(sums + f), __int2float_rn(points));
      }
    });
  }

  /// The means of the table's cells, a thread for up to four features of a slot.
  __device__ void write_means() const {
    constexpr int threads_of_slot = Features / width;
    for (int i = static_cast<int>(threadIdx.x); i < memory::slots * threads_of_slot; i += owner_threads) {
      const int slot = i / threads_of_slot, first = i % threads_of_slot * width;
      const int cell = own_.keys[slot], points = own_.counts[slot];
      if (cell == no_owned_cell) continue;
      float means[width];
#pragma unroll
      for (int k = 0; k < width; ++k)
        means[k] = __fdiv_rn(own_.sums[slot][first + k], __int2float_rn(points));
      store(v_.template sums_of<Features>(cell) + first, means);
      if (first == 0) v_.count[cell] = points;
    }
  }

  // Zeros.

  __device__ static void clear(std::uint32_t* words, long long count) {
    for (long long i = 4 * threadIdx.x; i < count; i += 4 * owner_threads)
      if (i + 4 <= count)
        *reinterpret_cast<uint4*>(words + i) = make_uint4(0, 0, 0, 0);
      else
        for (long long k = i; k < count; ++k) words[k] = 0;
  }
  __device__ void clear_tile(int first, int cells) const {
    clear(reinterpret_cast<std::uint32_t*>(v_.template sums_of<Features>(first)), 1ll * Features * cells);
    clear(reinterpret_cast<std::uint32_t*>(v_.count + first), cells);
  }
  __device__ void store_zeros() const {
    for_tiles([&](int first, int cells) { clear_tile(first, cells); });
  }
  /// A tile at the end that no whole number of vectors fills is not copied in bulk.
  __device__ void store_cut_tile() const {
    for_tiles([&](int first, int cells) {
      if (cells % 4 != 0) clear_tile(first, cells);
    });
  }
  __device__ void store_zeros_in_bulk() const {
#if __CUDA_ARCH__ >= 900
    using namespace cuda::ptx;
    for (int i = static_cast<int>(threadIdx.x); i < zero_vectors; i += owner_threads)
      own_.zeros[i] = make_uint4(0, 0, 0, 0);
    fence_proxy_async(space_shared);
    __syncthreads();
    if (threadIdx.x != 0) return;
    const auto copy = [&](void* to, long long bytes) {
      for (long long done = 0; done < bytes; done += sizeof own_.zeros)
        cp_async_bulk(space_global, space_shared, static_cast<std::byte*>(to) + done, own_.zeros,
                      static_cast<unsigned>(min(bytes - done, static_cast<long long>(sizeof own_.zeros))));
    };
    for_tiles([&](int first, int cells) {
      if (cells % 4 != 0) return;
      copy(v_.template sums_of<Features>(first), static_cast<long long>(sizeof(float)) * Features * cells);
      copy(v_.count + first, static_cast<long long>(sizeof(int)) * cells);
    });
    cp_async_bulk_commit_group();
#endif
  }
  /// All threads: zeros, sums and slots are there.
  __device__ static void wait_for_zeros() {
#if __CUDA_ARCH__ >= 900
    if (in_bulk && threadIdx.x == 0) cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<0>());
#endif
    __syncthreads();
  }

  const view& v_;
  int* found_;
  long long all_points_, all_cells_;
  memory& own_;
};

template <int Features, zero_stores Zeros>
__global__ __launch_bounds__(owner_threads, 1) void means_of_own_cells(const __grid_constant__ view v,
                                                                       int* found, long long all_points,
                                                                       long long all_cells, bool clears) {
  extern __shared__ uint4 of_owner[];
  cell_owner<Features, Zeros>(v, found, all_points, all_cells,
                              *reinterpret_cast<owner_memory<Features>*>(of_owner))
      .run(clears);
}

template <zero_stores Zeros>
void launch_owners(launcher& to, const problem& p) {
  with_features(p, [&](auto features) {
    launch(to, means_of_own_cells<features, Zeros>,
           {.grid = dim3(static_cast<unsigned>(to.device().multiprocessors)),
            .block = dim3(owner_threads),
            .dynamic_shared_bytes = sizeof(owner_memory<features>),
            .cooperative = true},
           view(p), static_cast<int*>(p.found_cells), p.all_points(), p.all_cells(), p.clears_grid);
  });
}

void smem_owners(launcher& to, const problem& p, const switches& s) {
  (s.has("copy") ? launch_owners<zero_stores::in_bulk> : launch_owners<zero_stores::by_threads>)(to, p);
}

}  // namespace ablate::voxel_mean
