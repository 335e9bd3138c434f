// Clusters of a grid from orders that exist: no sort.
//   A code of the coarser grid is the code of the grid without its last 3 · shift bits, on every curve
//   (backbone §0.5), so along an order the rows of a coarse cell stand together. flag_k[i] = the coarse code
//   of order_k[i] differs from that of order_k[i − 1]; one sum over the flags of a curve numbers its
//   clusters.
// First kernel, a block a tile of 1024 places, all curves in one grid: codes, flags, a sum within the block.
// A block publishes its number of flags and adds up those of all tiles before it on its curve, which does not
// wait for their sums: one round trip, not a chain. The first curve numbers the clusters, so it writes
// members, starts and the new order, which is 0, 1, 2, …; the others keep the rows that begin a cluster, in
// order. Second kernel: the j-th of these belongs to cluster[row], which is the new order; a cluster's
// position is the mean over its members. The count stays on the device.
// A block waits for blocks with lower numbers only, which are handed out first.
// Should move against sorting: launches (two), bytes (68 N + 104 R in all), stalls at barriers.
#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "kernels/common/dependent_launch.cuh"
#include "kernels/pool/number_flags.cuh"

namespace ablate::pool {

constexpr int number_threads = 256, places_of_thread = tile_places / number_threads;
static_assert(places_of_thread == 4, "a thread loads its places as one int4");
constexpr int carry_threads = 256;

/// The flags of all tiles of the curve before this one. The whole block calls this; the sum comes to all.
__device__ inline unsigned flags_before(const grid_view& v, unsigned own) {
  using sum = cub::BlockReduce<unsigned, number_threads>;
  __shared__ typename sum::TempStorage storage;
  __shared__ unsigned before;
  volatile std::uint32_t* const published = v.state + blockIdx.y * v.tiles;
  const int tile = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) published[tile] = own + 1;  // 0: not there yet
  unsigned mine = 0;
  for (int other = static_cast<int>(threadIdx.x); other < tile; other += number_threads) {
    unsigned seen;
    do seen = published[other];
    while (seen == 0);
    mine += seen - 1;
  }
  const unsigned all = sum(storage).Sum(mine);
  if (threadIdx.x == 0) before = all;
  __syncthreads();
  return before;
}

__global__ __launch_bounds__(number_threads) void number_flags(const __grid_constant__ grid_view v) {
  using scan = cub::BlockScan<unsigned, number_threads>;
  __shared__ typename scan::TempStorage storage;
  let_next_kernel_begin();
  const int curve = static_cast<int>(blockIdx.y);
  const int first =
      static_cast<int>(blockIdx.x) * tile_places + places_of_thread * static_cast<int>(threadIdx.x);
  const std::int32_t* const order = v.orders + curve * v.pitch;

  int row[places_of_thread] = {-1, -1, -1, -1};
  if (first + places_of_thread <= v.points) {
    const int4 four = __ldg(reinterpret_cast<const int4*>(order + first));
    row[0] = four.x;
    row[1] = four.y;
    row[2] = four.z;
    row[3] = four.w;
  } else {
#pragma unroll
    for (int k = 0; k < places_of_thread; ++k)
      if (first + k < v.points) row[k] = __ldg(order + first + k);
  }
  // The place before a warp's first belongs to another warp.
  const bool looks_back = threadIdx.x % 32 == 0 && first > 0 && first < v.points;
  const int row_before = looks_back ? __ldg(order + first - 1) : 0;
  std::uint64_t code[places_of_thread] = {};
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k)
    if (row[k] >= 0) code[k] = v.code_of(curve, row[k]);
  std::uint64_t before = __shfl_up_sync(~0u, code[places_of_thread - 1], 1);
  if (looks_back) before = v.code_of(curve, row_before);

  bool flag[places_of_thread];
  unsigned own = 0;
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k) {
    flag[k] = row[k] >= 0 && (first + k == 0 || code[k] != (k == 0 ? before : code[k - 1]));
    own += flag[k];
  }
  unsigned next, flags;
  scan(storage).ExclusiveSum(own, next, flags);
  const unsigned before_tile = flags_before(v, flags);
  next += before_tile;

  if (curve > 0) {
#pragma unroll
    for (int k = 0; k < places_of_thread; ++k)
      if (flag[k]) v.heads[curve * v.pitch + next++] = row[k];
    return;
  }
  if (row[places_of_thread - 1] >= 0) {
    *reinterpret_cast<int4*>(v.member + first) = make_int4(row[0], row[1], row[2], row[3]);
  } else {
#pragma unroll
    for (int k = 0; k < places_of_thread; ++k)
      if (row[k] >= 0) v.member[first + k] = static_cast<unsigned>(row[k]);
  }
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k) {
    if (row[k] < 0) break;
    if (flag[k]) {
      const unsigned cluster = next++;
      v.start[cluster] = static_cast<unsigned>(first + k);
      v.code_out[cluster] = code[k];
      v.order_out[cluster] = v.inverse_out[cluster] = static_cast<std::int32_t>(cluster);
      v.write_cell(cluster, row[k]);
      const int instance_before = first + k == 0 ? -1 : v.instance_of(k == 0 ? before : code[k - 1]);
      v.begin_instances(instance_before + 1, v.instance_of(code[k]), cluster);
    }
    v.cluster[row[k]] = next - 1;
  }
  if (static_cast<int>(blockIdx.x) != v.tiles - 1 || threadIdx.x != 0) return;
  const unsigned all = before_tile + flags;
  v.start[all] = static_cast<unsigned>(v.points);
  const int last = v.points == 0 ? -1 : v.instance_of(v.code_of(0, order[v.points - 1]));
  v.begin_instances(last + 1, v.instances, all);
}

__global__ __launch_bounds__(carry_threads) void carry_flags(const __grid_constant__ grid_view v) {
  wait_for_previous_kernel();
  const int curve = static_cast<int>(blockIdx.y);
  const unsigned j = blockIdx.x * carry_threads + threadIdx.x;
  const long long of_curve = curve * v.pitch;
  // For the next launch. No block of the first kernel reads it any more.
  if (j < static_cast<unsigned>(v.tiles)) v.state[curve * v.tiles + j] = 0;
  if (j >= v.rows()) return;
  if (curve == 0) return v.write_position(j);
  const int row = v.heads[of_curve + j];
  const unsigned cluster = v.cluster[row];
  v.order_out[of_curve + j] = static_cast<std::int32_t>(cluster);
  v.inverse_out[of_curve + cluster] = static_cast<std::int32_t>(j);
  v.code_out[of_curve + cluster] = v.code_of(curve, row);
}

void number_clusters(launcher& to, const grid_view& v, int curves) {
  launch(to, number_flags, dim3(static_cast<unsigned>(v.tiles), static_cast<unsigned>(curves)),
         dim3(number_threads), 0, v);
}

void carry_orders(launcher& to, const grid_view& v, int curves, bool overlaps) {
  launch(
      to, carry_flags,
      geometry{.grid = dim3(std::max(1u, blocks_for(v.points, carry_threads)), static_cast<unsigned>(curves)),
               .block = dim3(carry_threads),
               .overlaps_previous = overlaps},
      v);
}

}  // namespace ablate::pool
