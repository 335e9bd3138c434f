// Warp aggregation for batches whose grids do not fit the L2 together. Cleared by a kernel before, a grid has
// gone to device memory when its points are counted, and its lines come back for that. Here a cluster of
// blocks takes a cloud's grid in slabs of 512 KiB: while a slab is being cleared, the points of the one
// before it are counted, whose lines are still in the L2. A warp finds the cells of its points once, merges
// equal ones, and lists them in shared memory with their counts; of clouds too large for that, what is left
// is counted behind the last slab. Between slabs stands a cluster barrier, split so that the next slab's
// stores are under way before anyone waits. Layout as in global_atomic. Should move, against warp_match:
// launches, from two to one; DRAM reads, down by the lines that came back.
#include "kernels/voxelize/warp_merge.cuh"

namespace ablate::voxelize {

constexpr int cloud_blocks = 8, cloud_block_threads = 512, cloud_threads = cloud_blocks * cloud_block_threads;
constexpr int cells_of_slab = 128 * 1024;
constexpr int entries_of_warp = 512;

/// All threads of a cluster call both in turn: what they wrote before `arrive` is visible behind `wait`.
__device__ inline void arrive_in_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ inline void wait_in_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// A cell and how many of a warp's 32 points lie in it.
struct listed_cell {
  int cell, points;
};

/// Walks a cloud's points, `points_at_once` times 32 of the warp's own a step.
template <class Count, bool Instrumented>
class merging_walk {
 public:
  __device__ merging_walk(const view<Count>& v, long long thread) : v_(v), next_(thread) {}

  /// Of the whole warp: whether points are left.
  __device__ bool goes_on() const { return next_ - threadIdx.x % warpSize < v_.points_per_cloud; }

  /// Calls `take(leads, cell, points)` on the whole warp, once for each 32 points of the step.
  template <class Take>
  __device__ void step(tally<Instrumented>& events, Take take) {
    int cells[points_at_once];
    v_.cells_of_points(cells, v_.cloud_points(), next_, cloud_threads, v_.points_per_cloud);
#pragma unroll
    for (int k = 0; k < points_at_once; ++k) {
      const merged_points merged = merge_by_match()(cells[k]);
      const bool is_valid = cells[k] >= 0;
      if (next_ + k * cloud_threads < v_.points_per_cloud) {
        events.add(points);
        if (threadIdx.x % warpSize == 0) events.add(groups);
      }
      events.add(valid, is_valid);
      events.add(group_voxels, is_valid && merged.leads);
      events.add(hits, is_valid && !merged.leads);
      take(is_valid && merged.leads, cells[k], merged.points);
    }
    next_ += points_at_once * cloud_threads;
  }

 private:
  const view<Count>& v_;
  long long next_;
};

template <class Count>
__device__ void clear_slab(const view<Count>& v, long long first, long long thread) {
  const long long end = min(first + cells_of_slab, v.cells_per_cloud);
  auto* const words = reinterpret_cast<unsigned*>(v.cloud_grid());
  if (v.cells_per_cloud % 4 == 0)
    for (long long c = first + 4 * thread; c < end; c += 4 * cloud_threads)
      *reinterpret_cast<uint4*>(words + c) = make_uint4(0, 0, 0, 0);
  else
    for (long long c = first + thread; c < end; c += cloud_threads) words[c] = 0;
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(cloud_block_threads, 2) void count_behind_clearing(view<Count> v, bool clears) {
  extern __shared__ listed_cell lists[];
  const unsigned lane = threadIdx.x % warpSize;
  listed_cell* const list = lists + threadIdx.x / warpSize * entries_of_warp;
  const long long thread = 1ll * blockIdx.x * cloud_block_threads + threadIdx.x;
  Count* const grid = v.cloud_grid();
  tally<Instrumented> events;
  if (clears) {
    clear_slab(v, 0, thread);
    arrive_in_cluster();
  }

  merging_walk<Count, Instrumented> walk(v, thread);
  int listed = 0;
  while (walk.goes_on() && listed + points_at_once * 32 <= entries_of_warp)
    walk.step(events, [&](bool leads, int cell, int points) {
      const unsigned leaders = __ballot_sync(whole_warp, leads);
      if (leads) list[listed + __popc(leaders & ((1u << lane) - 1))] = {cell, points};
      listed += __popc(leaders);
    });
  __syncwarp();

  for (long long first = 0; first < v.cells_per_cloud; first += cells_of_slab) {
    const long long next = first + cells_of_slab;
    if (clears) {
      if (next < v.cells_per_cloud) clear_slab(v, next, thread);
      wait_in_cluster();
      if (next < v.cells_per_cloud) arrive_in_cluster();
    }
    for (int i = static_cast<int>(lane); i < listed; i += warpSize) {
      const listed_cell entry = list[i];
      if (static_cast<unsigned>(entry.cell - static_cast<int>(first)) < cells_of_slab)
        add_to_cell(grid, entry.cell, static_cast<Count>(entry.points), events);
    }
  }
  while (walk.goes_on())
    walk.step(events, [&](bool leads, int cell, int points) {
      if (leads) add_to_cell(grid, cell, static_cast<Count>(points), events);
    });
  events.write(v.events);
}

void smem_cluster_slabs(launcher& to, const problem& p, const switches&) {
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, count_behind_clearing<Count, instrumented>,
           {.grid = dim3(cloud_blocks, static_cast<unsigned>(p.batch)),
            .block = dim3(cloud_block_threads),
            .dynamic_shared_bytes = cloud_block_threads / 32 * entries_of_warp * sizeof(listed_cell),
            .cluster_blocks = cloud_blocks},
           view<Count>(p), p.clears_grid);
  });
}

}  // namespace ablate::voxelize
