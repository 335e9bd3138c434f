// Clusters of a grid from existing orders, without a sort.
//   A code of the coarser grid is the code of the grid without its last 3 · shift bits, on every curve
//   (docs/operations/pool.md), so the rows of a coarse cell are consecutive in an order. flag_k[i] = the
//   coarse code of order_k[i] differs from that of order_k[i − 1]; a prefix sum over a curve's flags numbers
//   its clusters.
// First kernel, a block a tile of 1024 places, all curves in one grid: codes, flags, a sum within the block.
// A block publishes its number of flags and adds up those of all preceding tiles of its curve without waiting
// for their sums: one round trip, not a chain. The first curve numbers the clusters, so it writes members,
// starts and the new order, which is 0, 1, 2, …; the others keep the rows that begin a cluster, in order.
// Second kernel: the j-th of these belongs to cluster[row], which is the new order; a cluster's position is
// the mean over its members. The count stays on the device.
// A block waits for blocks with lower numbers only, which are handed out first.
// Should move against sorting: launches (two), bytes (68 N + 104 R in all), stalls at barriers.

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/min_max.h"
#include "kernels/pool/tile_flags.cuh"

namespace ablate::pool {

constexpr int carry_threads = 256;

__global__ __launch_bounds__(number_threads) void number_flags(const __grid_constant__ grid_view v) {
  using scan = cub::BlockScan<unsigned, number_threads>;
  __shared__ typename scan::TempStorage storage;
  let_next_kernel_begin();
  const int curve = static_cast<int>(blockIdx.y);
  const std::int32_t* const order = v.orders + curve * v.pitch;
  thread_places at;
  at.read_rows(v, order);
  at.read_codes(v, curve);
  const unsigned own = at.find_flags();
  unsigned next, flags;
  scan(storage).ExclusiveSum(own, next, flags);
  const unsigned before_tile = flags_before(v, flags);
  next += before_tile;

  if (curve > 0) {
#pragma unroll
    for (int k = 0; k < places_of_thread; ++k)
      if (at.flag[k]) v.heads[curve * v.pitch + next++] = at.row[k];
    return;
  }
  at.write_members(v);
#pragma unroll
  for (int k = 0; k < places_of_thread; ++k) {
    if (at.row[k] < 0) break;
    if (at.flag[k]) {
      const unsigned cluster = next++;
      v.start[cluster] = static_cast<unsigned>(at.first + k);
      v.code_out[cluster] = at.code[k];
      v.order_out[cluster] = v.inverse_out[cluster] = static_cast<std::int32_t>(cluster);
      v.write_cell(cluster, at.row[k]);
      v.begin_instances(at.first_instance(v, k), v.instance_of(at.code[k]), cluster);
    }
    v.cluster[at.row[k]] = next - 1;
  }
  if (static_cast<int>(blockIdx.x) == v.tiles - 1 && threadIdx.x == 0)
    write_end(v, order, before_tile + flags);
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
