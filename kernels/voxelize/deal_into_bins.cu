// Deals points into bins of cells: a block counts how many of its points fall into each bin (shared memory),
// finds where each bin's begin (a prefix sum), and writes a 16-bit place in the bin for each point, by bin,
// beside a table of those beginnings. Every block has an area of its own, so no bin can overflow however the
// points lie, and nothing is reserved by atomics in device memory. Layout of the keys: see bins.h. Should
// move: bytes, 12 read and 2 written a point; shared-memory atomics, one a point.
#include <cub/block/block_scan.cuh>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxelize/bins.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// Small blocks: while one waits for its points, others on the multiprocessor deal theirs.
constexpr int deal_threads = 256;
/// Points that a thread reads at once; 96 bytes on the way.
constexpr int points_a_round = 8;

template <int PointsPerThread, bool Instrumented>
__global__ __launch_bounds__(deal_threads) void deal_points(view<int> v, slab_of_bins slab) {
  constexpr int bins_per_thread = most_bins / deal_threads, points_of_block = deal_threads * PointsPerThread;
  using prefix_sum = cub::BlockScan<int, deal_threads>;
  __shared__ typename prefix_sum::TempStorage for_prefix_sum;
  __shared__ int fill[most_bins];
  extern __shared__ uint4 dealt[];
  tally<Instrumented> events;
  // The blocks that count a bin clear their counters while these here deal.
  let_next_kernel_begin();

  const int first_bin = static_cast<int>(threadIdx.x) * bins_per_thread;
#pragma unroll
  for (int k = 0; k < bins_per_thread; ++k) fill[first_bin + k] = 0;
  const unsigned two_of_none = slab.no_place() * 0x10001u;
  for (int i = threadIdx.x; i < slab.vectors; i += deal_threads)
    dealt[i] = make_uint4(two_of_none, two_of_none, two_of_none, two_of_none);
  __syncthreads();

  const long long first = static_cast<long long>(blockIdx.x) * points_of_block;
  const long long end = min(first + points_of_block, v.points_per_cloud);
  int cells[PointsPerThread];
  unsigned ranks[PointsPerThread / 2];  // two in each: they are below 2^16
#pragma unroll
  for (int round = 0; round < PointsPerThread; round += points_a_round) {
    const long long first_of_round = first + threadIdx.x + round * deal_threads;
    int found[points_a_round];
    v.cells_of_points(found, v.cloud_points(), first_of_round, deal_threads, end);
#pragma unroll
    for (int k = 0; k < points_a_round; ++k) {
      if (slab.first_cell == 0 && first_of_round + k * deal_threads < end) events.add(points);
      const int cell = found[k] - slab.first_cell;
      const bool is_here = cell >= 0 && cell < slab.cells;
      cells[round + k] = is_here ? cell : -1;
      unsigned rank = 0;
      if (is_here) {
        events.add(valid);
        rank = static_cast<unsigned>(atomicAdd(fill + slab.bin_of(cell), 1));
      }
      unsigned& two = ranks[(round + k) / 2];
      two = k % 2 == 0 ? rank : two | rank << 16;
    }
  }
  __syncthreads();

  int starts[bins_per_thread], all;
#pragma unroll
  for (int k = 0; k < bins_per_thread; ++k)
    starts[k] = (fill[first_bin + k] + keys_per_vector - 1) / keys_per_vector;
  prefix_sum(for_prefix_sum).ExclusiveSum(starts, starts, all);
#pragma unroll
  for (int k = 0; k < bins_per_thread; ++k) {
    fill[first_bin + k] = starts[k] * keys_per_vector;
    if (first_bin + k < slab.bins())
      slab.starts_of(first_bin + k)[blockIdx.x] = static_cast<std::uint16_t>(starts[k]);
  }
  if (threadIdx.x == 0) slab.starts_of(slab.bins())[blockIdx.x] = static_cast<std::uint16_t>(all);
  __syncthreads();

#pragma unroll
  for (int k = 0; k < PointsPerThread; ++k)
    if (cells[k] >= 0)
      reinterpret_cast<std::uint16_t*>(
          dealt)[fill[slab.bin_of(cells[k])] + static_cast<int>(ranks[k / 2] >> k % 2 * 16 & 0xffff)] =
          static_cast<std::uint16_t>(slab.place_of(cells[k]));
  __syncthreads();

  uint4* const keys = slab.keys_of(blockIdx.x);
  for (int i = threadIdx.x; i < all; i += deal_threads) keys[i] = dealt[i];
  events.write(v.events);
}

void deal_into_bins(launcher& to, const problem& p, const slab_of_bins& slab) {
  const auto deal = [&](auto points_per_thread) {
    ablate::with_form(p, [&](auto instrumented) {
      launch(to, deal_points<points_per_thread, instrumented>,
             dim3(slab.blocks, static_cast<unsigned>(p.batch)), dim3(deal_threads),
             sizeof(uint4) * static_cast<std::size_t>(slab.vectors), view<int>(p), slab);
    });
  };
  switch (slab.points_per_block / deal_threads) {
    case 8:
      return deal(std::integral_constant<int, 8>());
    case 16:
      return deal(std::integral_constant<int, 16>());
    default:
      return deal(std::integral_constant<int, 32>());
  }
}

}  // namespace ablate::voxelize
