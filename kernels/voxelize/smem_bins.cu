// Counting without atomics in device memory, for points in any order: they are dealt into bins of cells (see
// deal_into_bins.cu), 128 of them or more, and then a block counts one bin in shared memory and writes all of
// its counters, zeros too. So the grid need not be cleared, each counter is written once in lines of 128
// bytes, and a point costs 12 + 2 + 2 bytes and two atomics in shared memory, wherever it lies. Layout: see
// bins.h. `launch=overlapped`: the second kernel clears its counters while the first still runs. Should move:
// reductions, to none; DRAM writes, to the grid once.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/voxelize/bins.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

constexpr int count_threads = 1024;
/// A block's keys of one bin are read by so many lanes, 16 bytes each: of a uniform cloud of 2^20 points or
/// more a run has 64 keys, 128 bytes.
constexpr int lanes_per_run = 4;
constexpr int vectors_at_once = 3;

/// Counts those of eight keys that stand from `first` to before `end`; `at` is the first one's place.
template <bool OnlyMarks>
__device__ void count_keys(int* counts, const uint4& keys, int at, int first, int end) {
  const unsigned pairs[] = {keys.x, keys.y, keys.z, keys.w};
#pragma unroll
  for (int i = 0; i < keys_per_vector; ++i) {
    if (at + i < first || at + i >= end) continue;
    int* const count = counts + (pairs[i / 2] >> i % 2 * 16 & 0xffff);
    if constexpr (OnlyMarks)
      *count = 1;
    else
      atomicAdd(count, 1);
  }
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(count_threads) void count_bin(view<Count> v, slab_of_bins slab, bool cleared) {
  extern __shared__ int counts[];
  constexpr bool only_marks = std::is_same_v<Count, occupied> && !Instrumented;
  tally<Instrumented> events;
  for (int i = threadIdx.x; i < slab.cells_per_bin; i += count_threads) counts[i] = 0;
  __syncthreads();
  wait_for_previous_kernel();

  const int bin = static_cast<int>(blockIdx.x);
  const std::uint16_t* const firsts = slab.starts_of(bin);
  const std::uint16_t* const ends = slab.starts_of(bin + 1);
  for (unsigned block = threadIdx.x / lanes_per_run; block < slab.blocks;
       block += count_threads / lanes_per_run) {
    const int first = firsts[block], end = ends[block];
    const auto* const run = reinterpret_cast<const uint4*>(slab.keys_of(block));
    int vector = first / keys_per_vector + static_cast<int>(threadIdx.x) % lanes_per_run;
    while (vector * keys_per_vector < end) {
      // All are loaded before one is counted, as in cells_of_points.
      uint4 keys[vectors_at_once] = {};
#pragma unroll
      for (int k = 0; k < vectors_at_once; ++k)
        if ((vector + k * lanes_per_run) * keys_per_vector < end) keys[k] = run[vector + k * lanes_per_run];
#pragma unroll
      for (int k = 0; k < vectors_at_once; ++k)
        count_keys<only_marks>(counts, keys[k], (vector + k * lanes_per_run) * keys_per_vector, first, end);
      vector += vectors_at_once * lanes_per_run;
    }
  }
  __syncthreads();

  Count* const grid = v.cloud_grid() + slab.first_cell;
  for (int place = threadIdx.x; place < slab.cells_per_bin; place += count_threads) {
    const int cell = slab.cell_of(bin, place);
    if (cell >= slab.cells) continue;
    if (const int count = counts[place]; count != 0) {
      events.add(flushes);
      events.add(group_voxels);
      events.add(hits, static_cast<unsigned>(count) - 1);
      put_alone(grid + cell, count, cleared);
    } else if (cleared) {
      grid[cell] = Count{};
    }
  }
  if (threadIdx.x == 0) events.add(groups);
  events.write(v.events);
}

void smem_bins(launcher& to, const problem& p, const switches& s) {
  const bin_plan plan(p, s);
  for (int i = 0; i < plan.slabs; ++i) {
    const slab_of_bins slab(p, plan, i);
    deal_into_bins(to, p, slab);
    with_form(p, [&](auto count, auto instrumented) {
      using Count = decltype(count);
      launch(to, count_bin<Count, instrumented>,
             {.grid = dim3(static_cast<unsigned>(plan.bins()), static_cast<unsigned>(p.batch)),
              .block = dim3(count_threads),
              .dynamic_shared_bytes = sizeof(int) * static_cast<std::size_t>(plan.cells_per_bin),
              // Without points there is no kernel that deals.
              .overlaps_previous = s.has("launch") && plan.blocks > 0},
             view<Count>(p), slab, p.clears_grid);
    });
  }
}

}  // namespace ablate::voxelize
