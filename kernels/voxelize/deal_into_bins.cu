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

template <int Threads, bool Instrumented>
__global__ __launch_bounds__(Threads) void deal_points(view<int> v, slab_of_bins slab) {
  constexpr int bins_per_thread = most_bins / Threads, points_of_block = Threads * points_per_dealer;
  using prefix_sum = cub::BlockScan<int, Threads>;
  __shared__ typename prefix_sum::TempStorage for_prefix_sum;
  __shared__ int fill[most_bins];
  __shared__ alignas(sizeof(uint4)) std::uint16_t dealt[points_of_block];
  tally<Instrumented> events;
  // The blocks that count a bin clear their counters while these here deal.
  let_next_kernel_begin();

  const int first_bin = static_cast<int>(threadIdx.x) * bins_per_thread;
#pragma unroll
  for (int k = 0; k < bins_per_thread; ++k) fill[first_bin + k] = 0;
  int cells[points_per_dealer];
  const long long first = static_cast<long long>(blockIdx.x) * points_of_block;
  const long long end = min(first + points_of_block, v.points_per_cloud);
  v.cells_of_points(cells, v.cloud_points(), first + threadIdx.x, Threads, end);
  __syncthreads();

  int rank[points_per_dealer];
#pragma unroll
  for (int k = 0; k < points_per_dealer; ++k) {
    if (slab.first_cell == 0 && first + threadIdx.x + k * Threads < end) events.add(points);
    cells[k] -= slab.first_cell;
    if (cells[k] < 0 || cells[k] >= slab.cells) {
      cells[k] = -1;
      continue;
    }
    events.add(valid);
    rank[k] = atomicAdd(fill + slab.bin_of(cells[k]), 1);
  }
  __syncthreads();

  int starts[bins_per_thread], all;
#pragma unroll
  for (int k = 0; k < bins_per_thread; ++k) starts[k] = fill[first_bin + k];
  prefix_sum(for_prefix_sum).ExclusiveSum(starts, starts, all);
#pragma unroll
  for (int k = 0; k < bins_per_thread; ++k) {
    fill[first_bin + k] = starts[k];
    if (first_bin + k < slab.bins())
      slab.starts_of(first_bin + k)[blockIdx.x] = static_cast<std::uint16_t>(starts[k]);
  }
  if (threadIdx.x == 0) slab.starts_of(slab.bins())[blockIdx.x] = static_cast<std::uint16_t>(all);
  __syncthreads();

#pragma unroll
  for (int k = 0; k < points_per_dealer; ++k)
    if (cells[k] >= 0)
      dealt[fill[slab.bin_of(cells[k])] + rank[k]] = static_cast<std::uint16_t>(slab.place_of(cells[k]));
  __syncthreads();

  uint4* const keys = reinterpret_cast<uint4*>(slab.keys_of(blockIdx.x));
  for (int i = threadIdx.x; i * keys_per_vector < all; i += Threads)
    keys[i] = reinterpret_cast<const uint4*>(dealt)[i];
  events.write(v.events);
}

void deal_into_bins(launcher& to, const problem& p, const slab_of_bins& slab) {
  const auto deal = [&](auto threads) {
    ablate::with_form(p, [&](auto instrumented) {
      launch(to, deal_points<threads, instrumented>, dim3(slab.blocks, static_cast<unsigned>(p.batch)),
             dim3(threads), 0, view<int>(p), slab);
    });
  };
  switch (slab.points_per_block / points_per_dealer) {
    case 256:
      return deal(std::integral_constant<int, 256>());
    case 512:
      return deal(std::integral_constant<int, 512>());
    default:
      return deal(std::integral_constant<int, 1024>());
  }
}

}  // namespace ablate::voxelize
