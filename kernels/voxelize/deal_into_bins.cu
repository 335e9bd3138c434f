// Deals points into bins of cells: a block counts how many of its points fall into each bin (shared memory),
// finds where each bin's begin (a prefix sum), and writes a 16-bit place in the bin for each point, by bin,
// beside a table of those beginnings. Every block has an area of its own, so no bin can overflow however the
// points lie, and nothing is reserved by atomics in device memory. Layout of the keys: see bins.h. Should
// move: bytes, 12 read and 2 written a point; shared-memory atomics, one a point. As many blocks as run at
// the same time walk the tiles of a cloud: while one deals, its next points are on their way (cp.async).
#include <cub/warp/warp_scan.cuh>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/mma.cuh"
#include "kernels/voxelize/bins.cuh"
#include "kernels/voxelize/voxel_index.cuh"

namespace ablate::voxelize {

constexpr int bins_of_lane = 4, bins_of_warp = 32 * bins_of_lane;

/// Starts to copy points to shared memory, 16 bytes at once where the cloud begins at a multiple of that.
template <int Threads>
__device__ void stage(float* to, const float* from, int floats) {
  const int thread = static_cast<int>(threadIdx.x);
  const int vectors = reinterpret_cast<std::uintptr_t>(from) % sizeof(float4) == 0 ? floats / 4 : 0;
  constexpr int most = (3 * most_points_per_thread + 3) / 4;
#pragma unroll
  for (int k = 0; k < most; ++k)
    if (const int i = thread + k * Threads; i < vectors)
      mma::copy_async(mma::shared_address(to + 4 * i), from + 4 * i);
  for (int i = 4 * vectors + thread; i < floats; i += Threads) to[i] = from[i];
  mma::copy_commit();
}

/// From the keys of each bin to where they begin, by one warp, each lane four neighboring bins at once: to
/// find that by all warps takes longer than that others wait for one. What will be left over of a bin's last
/// vector gets no place. Returns the vectors of all bins.
__device__ int find_starts(int4* fill, uint4* dealt, const slab_of_bins& slab, unsigned tile) {
  using prefix_sum = cub::WarpScan<int>;
  __shared__ typename prefix_sum::TempStorage for_prefix_sum;
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned two_of_none = slab.no_place() * 0x10001u;
  int before = 0;
  for (int bin = bins_of_lane * lane; bin < slab.bins() || bin < bins_of_warp; bin += bins_of_warp) {
    int4& keys = fill[bin / bins_of_lane];
    const auto vectors = [](int of_bin) { return (of_bin + keys_per_vector - 1) / keys_per_vector; };
    const int own[] = {vectors(keys.x), vectors(keys.y), vectors(keys.z), vectors(keys.w)};
    int start, all;
    prefix_sum(for_prefix_sum).ExclusiveSum(own[0] + own[1] + own[2] + own[3], start, all);
    start += before;
    before += all;
    int first_keys[bins_of_lane];
#pragma unroll
    for (int i = 0; i < bins_of_lane; ++i) {
      if (bin + i < slab.bins()) slab.starts_of(bin + i)[tile] = static_cast<std::uint16_t>(start);
      first_keys[i] = start * keys_per_vector;
      start += own[i];
      if (own[i] > 0) dealt[start - 1] = make_uint4(two_of_none, two_of_none, two_of_none, two_of_none);
    }
    keys = make_int4(first_keys[0], first_keys[1], first_keys[2], first_keys[3]);
  }
  if (lane == 0) slab.starts_of(slab.bins())[tile] = static_cast<std::uint16_t>(before);
  return before;
}

template <int Threads, bool Instrumented>
__global__ __launch_bounds__(Threads, dealing_threads / Threads) void deal_points(view<int> v,
                                                                                  slab_of_bins slab) {
  constexpr int in_vectors = most_points_per_thread / points_at_once * points_at_once;
  __shared__ int4 fill_of_four[most_bins / bins_of_lane];
  __shared__ int all;
  int* const fill = reinterpret_cast<int*>(fill_of_four);
  extern __shared__ uint4 dealt[];
  float* const staged = reinterpret_cast<float*>(dealt + slab.vectors);
  tally<Instrumented> events;
  // The blocks that count a bin clear their counters while these here deal.
  let_next_kernel_begin();

  const int thread = static_cast<int>(threadIdx.x);
  const auto points_of = [&](unsigned tile) {
    const long long left = v.points_per_cloud - static_cast<long long>(tile) * slab.points_per_block;
    return static_cast<int>(min(left, static_cast<long long>(slab.points_per_block)));
  };
  const auto start_to_read = [&](unsigned tile) {
    const long long first = static_cast<long long>(tile) * slab.points_per_block;
    stage<Threads>(staged, v.cloud_points() + 3 * first, 3 * points_of(tile));
  };
  start_to_read(blockIdx.x);
  for (unsigned tile = blockIdx.x; tile < slab.blocks; tile += gridDim.x) {
#pragma unroll 1
    for (int i = thread; i < max(slab.bins(), bins_of_warp) / bins_of_lane; i += Threads)
      fill_of_four[i] = make_int4(0, 0, 0, 0);
    mma::copy_wait<0>();
    __syncthreads();

    const int here = points_of(tile);
    constexpr unsigned outside = ~0u;
    unsigned keys[most_points_per_thread];                  // place in the bin, and the bin in the upper half
    unsigned ranks[(most_points_per_thread + 1) / 2] = {};  // two in each: they are below 2^16
    const auto take = [&](int k, float x, float y, float z) {
      const int cell = v.cell_of(x, y, z) - slab.first_cell;
      keys[k] = outside;
      if (static_cast<unsigned>(cell) < static_cast<unsigned>(slab.cells)) {
        events.add(valid);
        const int bin = slab.bin_of(cell);
        ranks[k / 2] |= static_cast<unsigned>(atomicAdd(fill + bin, 1)) << k % 2 * 16;
        keys[k] = static_cast<unsigned>(bin << 16 | slab.place_of(cell));
      }
    };
#pragma unroll
    for (int round = 0; round < in_vectors; round += points_at_once) {
      float at[points_at_once][3];
      read_neighbors(at, staged, points_at_once * thread + round * Threads, here);
#pragma unroll
      for (int k = 0; k < points_at_once; ++k) take(round + k, at[k][0], at[k][1], at[k][2]);
    }
#pragma unroll
    for (int k = in_vectors; k < most_points_per_thread; ++k) {
      keys[k] = outside;
      if (const int i = k * Threads + thread; i < here)
        take(k, staged[3 * i], staged[3 * i + 1], staged[3 * i + 2]);
    }
    if (slab.first_cell == 0 && thread == 0) events.add(points, static_cast<unsigned>(here));
    __syncthreads();

    if (const unsigned next = tile + gridDim.x; next < slab.blocks) start_to_read(next);
    if (thread < 32) {
      const int found = find_starts(fill_of_four, dealt, slab, tile);
      if (thread == 0) all = found;
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < most_points_per_thread; ++k)
      if (keys[k] != outside)
        reinterpret_cast<std::uint16_t*>(
            dealt)[fill[keys[k] >> 16] + static_cast<int>(ranks[k / 2] >> k % 2 * 16 & 0xffff)] =
            static_cast<std::uint16_t>(keys[k]);
    __syncthreads();

    uint4* const out = slab.keys_of(tile);
#pragma unroll 1
    for (int i = thread; i < all; i += Threads) out[i] = dealt[i];
  }
  events.write(v.events);
}

void deal_into_bins(launcher& to, const problem& p, const slab_of_bins& slab) {
  const auto deal = [&](auto threads) {
    ablate::with_form(p, [&](auto instrumented) {
      const std::size_t bytes = sizeof(uint4) * static_cast<std::size_t>(slab.vectors) +
                                3 * sizeof(float) * static_cast<std::size_t>(slab.points_per_block);
      const unsigned at_once = static_cast<unsigned>(slab.dealers_per_cloud(p, to.device().multiprocessors));
      launch(to, deal_points<threads, instrumented>,
             dim3(std::min(slab.blocks, at_once), static_cast<unsigned>(p.batch)), dim3(threads), bytes,
             view<int>(p), slab);
    });
  };
  using std::integral_constant;
  switch (slab.dealing_block()) {
    case 256:
      return deal(integral_constant<int, 256>());
    case 512:
      return deal(integral_constant<int, 512>());
    default:
      return deal(integral_constant<int, 1024>());
  }
}

}  // namespace ablate::voxelize
