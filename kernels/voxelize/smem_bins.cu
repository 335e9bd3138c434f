// Counting without atomics in device memory, for points in any order: they are dealt into 128 or more bins of
// cells (see deal_into_bins.cu), then each block counts one bin in shared memory and writes all of its
// counters, zeros included. So the grid need not be cleared, each counter is written once in lines of 128
// bytes, and a point costs 12 + 2 + 2 bytes and two shared-memory atomics, wherever it is. Layout: see
// bins.h. `pdl`: the second kernel clears its counters while the first is still running. Should
// move: reductions, to none; DRAM writes, to one pass over the grid.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/lane_peers.cuh"
#include "kernels/common/switches.h"
#include "kernels/voxelize/bin_counts.cuh"
#include "kernels/voxelize/bins.cuh"
#include "kernels/voxelize/launches.h"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// Loading several vectors at once takes more than 32 registers per thread, so that one block fills an SM:
/// among blocks that start early, two on one SM would leave another idle.
constexpr int count_threads = 1024, count_warps = count_threads / warp_lanes;
/// The keys that one block dealt into the bin form a run, read by this many lanes, 16 bytes each: with a
/// uniform cloud, 4096 points per block and 128 bins, a run has 32 keys, which fill four or five vectors.
constexpr int lanes_per_run = 8, runs_of_round = warp_lanes / lanes_per_run;
constexpr int rounds_at_once = 7;   ///< per warp: all are loaded before the first is counted
constexpr int vectors_at_once = 4;  ///< as above, for a long run

/// Counts vectors [first, end) with all lanes of a warp.
template <bool OnlyMarks>
__device__ void count_long_run(int* counts, const uint4* run, int first, int end) {
  for (int i = first + static_cast<int>(threadIdx.x) % warp_lanes; i < end;
       i += vectors_at_once * warp_lanes) {
    uint4 keys[vectors_at_once];
#pragma unroll
    for (int k = 0; k < vectors_at_once; ++k)
      if (i + k * warp_lanes < end) keys[k] = run[i + k * warp_lanes];
#pragma unroll
    for (int k = 0; k < vectors_at_once; ++k)
      if (i + k * warp_lanes < end) count_keys<OnlyMarks>(counts, keys[k]);
  }
}

template <class Count, bool Instrumented>
__global__ __launch_bounds__(count_threads) void count_bin(view<Count> v, slab_of_bins slab, bool cleared) {
  extern __shared__ int4 counters[];
  int* const counts = reinterpret_cast<int*>(counters);  // [cells_per_bin], plus one for padding keys
  constexpr bool only_marks = std::is_same_v<Count, occupied> && !Instrumented;
  tally<Instrumented> events;
  for (int i = threadIdx.x; i < slab.cells_per_bin / 4; i += count_threads)
    counters[i] = make_int4(0, 0, 0, 0);
  __syncthreads();
  wait_for_previous_kernel();

  const int bin = static_cast<int>(blockIdx.x), lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int lane_of_run = lane % lanes_per_run;
  const unsigned warp = threadIdx.x / warp_lanes;
  const std::uint16_t* const firsts = slab.starts_of(bin);
  const std::uint16_t* const ends = slab.starts_of(bin + 1);
  const uint4* const all_keys = slab.keys_of(0);
  // Each lane holds one of the warp's runs.
  const unsigned runs_of_warp =
      min((slab.blocks + count_warps - 1) / count_warps, unsigned{runs_of_round * rounds_at_once});
  for (unsigned begin = warp * runs_of_warp; begin < slab.blocks; begin += count_warps * runs_of_warp) {
    const unsigned block = begin + static_cast<unsigned>(lane);
    const bool has_run = static_cast<unsigned>(lane) < runs_of_warp && block < slab.blocks;
    const int first = has_run ? firsts[block] : 0, length = has_run ? ends[block] - first : 0;
    const unsigned run = block * static_cast<unsigned>(slab.vectors) + static_cast<unsigned>(first);
    uint4 keys[rounds_at_once];
    unsigned loaded = 0;
#pragma unroll
    for (int k = 0; k < rounds_at_once; ++k) {
      if (k * runs_of_round >= static_cast<int>(runs_of_warp)) break;
      const int which = k * runs_of_round + lane / lanes_per_run;
      const unsigned from = __shfl_sync(whole_warp, run, which);
      if (lane_of_run < __shfl_sync(whole_warp, length, which)) {
        keys[k] = all_keys[from + static_cast<unsigned>(lane_of_run)];
        loaded |= 1u << k;
      }
    }
#pragma unroll
    for (int k = 0; k < rounds_at_once; ++k)
      if (loaded >> k & 1) count_keys<only_marks>(counts, keys[k]);
    for (unsigned longer = __ballot_sync(whole_warp, length > lanes_per_run); longer != 0;
         longer &= longer - 1) {
      const int which = __ffs(static_cast<int>(longer)) - 1;
      count_long_run<only_marks>(counts, all_keys + __shfl_sync(whole_warp, run, which), lanes_per_run,
                                 __shfl_sync(whole_warp, length, which));
    }
  }
  __syncthreads();

  write_bin<count_threads>(slab, slab.cells_per_bin, counters, bin, v.cloud_grid() + slab.first_cell,
                           slab.cells, cleared, v.cells_per_cloud % 4 == 0, events);
  events.write(v.events);
}

void smem_bins(launcher& to, const problem& p, const switches& s) {
  const bin_plan plan(p, s);
  for (int i = 0; i < plan.slabs; ++i) {
    const slab_of_bins slab(p, plan, i);
    deal_into_bins(to, p, slab);
    const std::size_t bytes = sizeof(int) * (static_cast<std::size_t>(plan.cells_per_bin) + 1);
    with_form(p, [&](auto count, auto instrumented) {
      using Count = decltype(count);
      launch(to, count_bin<Count, instrumented>,
             {.grid = dim3(static_cast<unsigned>(plan.bins()), static_cast<unsigned>(p.batch)),
              .block = dim3(count_threads),
              .dynamic_shared_bytes = bytes,
              // Without points, no dealing kernel is launched.
              .overlaps_previous = s.is_on("pdl") && plan.blocks > 0},
             view<Count>(p), slab, p.clears_grid);
    });
  }
}

}  // namespace ablate::voxelize
