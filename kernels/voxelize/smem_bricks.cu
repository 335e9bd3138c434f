// Bricks in shared memory, for points in a locality-preserving order (Morton): a block handles a range of
// points and holds dense counters for the 8 × 8 × 8 cells of a few bricks, 2 KiB each. A brick's slot is
// given by the lowest bits of its coordinates, interleaved, so consecutive bricks on a Morton curve have
// slots of their own. When points want a brick that is not resident, the one in its slot is evicted, 512
// neighboring counters at a time. Correct in any order: points still without a brick after several changes
// count in device memory. Should move: reductions, down to one per cell and visit of its brick, several of
// them per sector.
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

constexpr int edge_of_brick = 8, cells_of_brick = 512;
constexpr int max_bricks = 16;
/// How often one round of points may change the bricks; 256 sorted points span about as many at most.
constexpr int max_changes = 4;
constexpr int no_brick = -1;

/// Adds a brick's counters to the grid and clears them. `brick` is the index of its first cell.
template <class Count, bool Instrumented>
__device__ void write_brick_back(const view<Count>& v, int brick, int* counts, tally<Instrumented>& events) {
  // The axis that is contiguous in memory comes first.
  const int fast = min(v.stride[0], v.stride[2]), slow = max(v.stride[0], v.stride[2]);
  for (int i = threadIdx.x; i < cells_of_brick; i += block_threads) {
    const int count = counts[i];
    if (count == 0) continue;
    counts[i] = 0;
    events.add(flushes);
    events.add(group_voxels);
    const int in_brick = (i >> 6) * slow + (i >> 3 & 7) * v.stride[1] + (i & 7) * fast;
    add_to_cell(v.cloud_grid(), brick + in_brick, static_cast<Count>(count), events);
  }
}

/// Several threads may want different bricks in one place: any of them wins. The stores are relaxed atomics,
/// so that one whole value is visible after the next barrier; the machine code is that of a plain store.
__device__ void want(int* place, int brick) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(place));
  asm volatile("st.relaxed.cta.shared.s32 [%0], %1;" ::"r"(address), "r"(brick) : "memory");
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(block_threads) void count_in_bricks(view<Count> v, int points_per_block,
                                                                 int bricks) {
  extern __shared__ int counts[];
  __shared__ int owners[max_bricks], wanted[max_bricks];
  tally<Instrumented> events;
  for (int i = threadIdx.x; i < bricks * cells_of_brick; i += block_threads) counts[i] = 0;
  if (threadIdx.x < bricks) owners[threadIdx.x] = wanted[threadIdx.x] = no_brick;
  __syncthreads();

  const float* cloud = v.cloud_points();
  const bool z_fastest = v.stride[2] < v.stride[0];
  const long long first = static_cast<long long>(blockIdx.x) * points_per_block;
  const long long end = min(first + points_per_block, v.points_per_cloud);
  for (long long round = first; round < end; round += block_threads) {
    const long long i = round + threadIdx.x;
    int c[3], cell = -1, brick = no_brick, place = 0, counter = 0;
    if (i < end) {
      events.add(points);
      if (v.locate_point(cloud[3 * i], cloud[3 * i + 1], cloud[3 * i + 2], c)) {
        events.add(valid);
        const int in_brick[3] = {c[0] % edge_of_brick, c[1] % edge_of_brick, c[2] % edge_of_brick};
        const int first_cell[3] = {c[0] - in_brick[0], c[1] - in_brick[1], c[2] - in_brick[2]};
        cell = v.index_of(c);
        brick = v.index_of(first_cell);
        const int x = c[0] / edge_of_brick, y = c[1] / edge_of_brick, z = c[2] / edge_of_brick;
        place = ((x & 1) | (y & 1) << 1 | (z & 1) << 2 | (x & 2) << 2) & (bricks - 1);
        const int slow = z_fastest ? in_brick[0] : in_brick[2], fast = z_fastest ? in_brick[2] : in_brick[0];
        counter = place * cells_of_brick + (slow * edge_of_brick + in_brick[1]) * edge_of_brick + fast;
      }
    }
    bool waits = brick != no_brick;
    for (int change = 0;; ++change) {
      if (waits && owners[place] == brick) {
        atomicAdd(counts + counter, 1);
        waits = false;
      }
      if (!__syncthreads_or(waits) || change == max_changes) break;
      if (waits) want(wanted + place, brick);
      __syncthreads();
      for (int other = 0; other < bricks; ++other)
        if (wanted[other] != no_brick && owners[other] != no_brick)
          write_brick_back(v, owners[other], counts + other * cells_of_brick, events);
      __syncthreads();
      if (threadIdx.x < bricks && wanted[threadIdx.x] != no_brick) {
        events.add(groups);
        owners[threadIdx.x] = wanted[threadIdx.x];
        wanted[threadIdx.x] = no_brick;
      }
      __syncthreads();
    }
    if (waits) {
      events.add(fallbacks);
      add_to_cell(v.cloud_grid(), cell, Count{1}, events);
    }
  }
  __syncthreads();
  for (int place = 0; place < bricks; ++place)
    if (owners[place] != no_brick)
      write_brick_back(v, owners[place], counts + place * cells_of_brick, events);
  events.write(v.events);
}

void smem_bricks(launcher& to, const problem& p, const switches& s) {
  const int points_per_block = points_per_block_of(to, p, s);
  const int bricks = static_cast<int>(s.integer("bricks"));
  with_form(p, [&](auto count, auto instrumented) {
    using Count = decltype(count);
    launch(to, count_in_bricks<Count, instrumented>, grid_of(p, points_per_block), dim3(block_threads),
           bricks * cells_of_brick * sizeof(int), view<Count>(p), points_per_block, bricks);
  });
}

}  // namespace ablate::voxelize
