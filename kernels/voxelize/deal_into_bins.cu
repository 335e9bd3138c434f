// Deals points into bins of cells: a block counts how many of its points fall into each bin (shared memory),
// finds where each bin starts (a prefix sum), and writes each point's 16-bit place in its bin, grouped by
// bin, along with a table of the starts. Every block has an area of its own, so no bin can overflow wherever
// the points are, and device memory needs no atomics. Layout of the keys: see bins.h. Should move: bytes, 12
// read and 2 written per point; shared-memory atomics, one per point.
#include <cub/warp/warp_scan.cuh>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/lane_peers.cuh"
#include "kernels/voxelize/bins.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

/// Threads per SM: while one block waits for its points, others deal theirs.
constexpr int threads_at_once = 1536;
constexpr int bins_of_lane = 4, bins_of_warp = warp_lanes * bins_of_lane;

/// Turns the number of keys in each bin into the bin's start. One warp does it, each lane for four
/// neighboring bins: a prefix sum by all warps takes longer than waiting for one. Returns the number of
/// vectors in all bins.
__device__ int find_starts(int4* fill, const slab_of_bins& slab) {
  using prefix_sum = cub::WarpScan<int>;
  __shared__ typename prefix_sum::TempStorage for_prefix_sum;
  const int lane = static_cast<int>(threadIdx.x);
  int before = 0;
  for (int bin = bins_of_lane * lane; bin < slab.bins() || bin < bins_of_warp; bin += bins_of_warp) {
    int4& keys = fill[bin / bins_of_lane];
    const auto vectors = [](int of_bin) { return (of_bin + keys_per_vector - 1) / keys_per_vector; };
    int starts[] = {0, vectors(keys.x), vectors(keys.y), vectors(keys.z)};
    const int own = starts[1] + starts[2] + starts[3] + vectors(keys.w);
    int all;
    prefix_sum(for_prefix_sum).ExclusiveSum(own, starts[0], all);
    starts[0] += before;
    before += all;
#pragma unroll
    for (int i = 0; i < bins_of_lane; ++i) {
      if (i > 0) starts[i] += starts[i - 1];
      if (bin + i < slab.bins()) slab.starts_of(bin + i)[blockIdx.x] = static_cast<std::uint16_t>(starts[i]);
    }
    keys = make_int4(starts[0] * keys_per_vector, starts[1] * keys_per_vector, starts[2] * keys_per_vector,
                     starts[3] * keys_per_vector);
  }
  if (lane == 0) slab.starts_of(slab.bins())[blockIdx.x] = static_cast<std::uint16_t>(before);
  return before;
}

template <int Threads, int PointsPerThread, bool Instrumented>
__global__ __launch_bounds__(Threads, threads_at_once / Threads * 8 /
                                          PointsPerThread) void deal_points(view<int> v, slab_of_bins slab) {
  constexpr int points_of_block = Threads * PointsPerThread;
  __shared__ int4 fill_of_four[max_bins / bins_of_lane];
  __shared__ int all;
  int* const fill = reinterpret_cast<int*>(fill_of_four);
  extern __shared__ uint4 dealt[];
  tally<Instrumented> events;
  // The blocks of the counting kernel clear their counters while this one deals.
  let_next_kernel_begin();

  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int i = thread; i < max(slab.bins(), bins_of_warp) / bins_of_lane; i += Threads)
    fill_of_four[i] = make_int4(0, 0, 0, 0);
  const unsigned two_of_none = slab.no_place() * 0x10001u;
#pragma unroll 1
  for (int i = thread; i < slab.vectors; i += Threads)
    dealt[i] = make_uint4(two_of_none, two_of_none, two_of_none, two_of_none);
  __syncthreads();

  const long long first = static_cast<long long>(blockIdx.x) * points_of_block;
  const int here = static_cast<int>(min(v.points_per_cloud - first, 1ll * points_of_block));
  constexpr unsigned outside = ~0u;
  unsigned keys[PointsPerThread];       // low half: place in the bin; high half: the bin
  unsigned ranks[PointsPerThread / 2];  // two in each; they are below 2^16
#pragma unroll
  for (int round = 0; round < PointsPerThread; round += points_at_once) {
    float at[points_at_once][3];
    read_neighbors(at, v.cloud_points() + 3 * first, points_at_once * thread + round * Threads, here);
#pragma unroll
    for (int k = 0; k < points_at_once; ++k) {
      const int cell = v.cell_of(at[k][0], at[k][1], at[k][2]) - slab.first_cell;
      unsigned rank = 0, key = outside;
      if (static_cast<unsigned>(cell) < static_cast<unsigned>(slab.cells)) {
        events.add(valid);
        const int bin = slab.bin_of(cell);
        rank = static_cast<unsigned>(atomicAdd(fill + bin, 1));
        key = static_cast<unsigned>(bin << 16 | slab.place_of(cell));
      }
      keys[round + k] = key;
      unsigned& two = ranks[(round + k) / 2];
      two = k % 2 == 0 ? rank : two | rank << 16;
    }
  }
  if (slab.first_cell == 0 && thread == 0) events.add(points, static_cast<unsigned>(here));
  __syncthreads();

  if (thread < warp_lanes) {
    const int found = find_starts(fill_of_four, slab);
    if (thread == 0) all = found;
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < PointsPerThread; ++k)
    if (keys[k] != outside)
      reinterpret_cast<std::uint16_t*>(
          dealt)[fill[keys[k] >> 16] + static_cast<int>(ranks[k / 2] >> k % 2 * 16 & 0xffff)] =
          static_cast<std::uint16_t>(keys[k]);
  __syncthreads();

  uint4* const out = slab.keys_of(blockIdx.x);
#pragma unroll 1
  for (int i = thread; i < all; i += Threads) out[i] = dealt[i];
  events.write(v.events);
}

void deal_into_bins(launcher& to, const problem& p, const slab_of_bins& slab) {
  const auto deal = [&](auto threads, auto points_per_thread) {
    ablate::with_form(p, [&](auto instrumented) {
      launch(to, deal_points<threads, points_per_thread, instrumented>,
             dim3(slab.blocks, static_cast<unsigned>(p.batch)), dim3(threads),
             sizeof(uint4) * static_cast<std::size_t>(slab.vectors), view<int>(p), slab);
    });
  };
  using std::integral_constant;
  switch (slab.points_per_block) {
    case 2048:
      return deal(integral_constant<int, 256>(), integral_constant<int, 8>());
    case 4096:
      return deal(integral_constant<int, 512>(), integral_constant<int, 8>());
    default:
      return deal(integral_constant<int, 512>(), integral_constant<int, 16>());
  }
}

}  // namespace ablate::voxelize
