// The deterministic form, without atomics: points are sorted by voxel, and the points of a voxel are summed
// in the order of the sort. A group of lanes owns as many neighboring places of the order and sums every run
// that starts there: each lane loads 16 bytes of a point's features, spare lanes process further points in
// parallel, and a shuffle tree adds them up. Means are written directly, without a division pass. Should
// move: L2 reductions, to none; bytes, up by 16 per point for each 8 bits of the sort, and a random read of
// every point's features.
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/scratch.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

template <int Features>
__global__ __launch_bounds__(block_threads) void sum_runs(view v, voxel_order order, long long points,
                                                          unsigned outside) {
  constexpr int width = vector_width<Features>, vectors = Features / width;
  constexpr int lanes = 2 * vectors > 8 ? 2 * vectors : 8, at_once = lanes / vectors;
  static_assert(lanes <= warp_lanes);
  const int lane = static_cast<int>(threadIdx.x % lanes);
  const long long first = point_of_thread() - lane, place = first + lane;
  const int shift = static_cast<int>(threadIdx.x % warp_lanes) - lane;
  const unsigned group = (~0u >> (warp_lanes - lanes)) << shift;

  const unsigned own = place < points ? order.cells[place] : outside;
  const bool begins = own != outside && (place == 0 || order.cells[place - 1] != own);
  unsigned heads = (__ballot_sync(whole_warp, begins) & group) >> shift;
  for (; heads != 0; heads &= heads - 1) {
    const int head = __ffs(static_cast<int>(heads)) - 1;
    const unsigned cell = __shfl_sync(group, own, head, lanes);
    float sums[width] = {};
    int count = 0;
    for (long long at = first + head + lane / vectors; at < points && order.cells[at] == cell;
         at += at_once) {
      float values[width];
      load(values,
           v.point_features + static_cast<long long>(order.points[at]) * Features + lane % vectors * width);
#pragma unroll
      for (int k = 0; k < width; ++k) sums[k] += values[k];
      ++count;
    }
#pragma unroll
    for (int offset = lanes / 2; offset >= vectors; offset /= 2) {
      count += __shfl_xor_sync(group, count, offset, lanes);
#pragma unroll
      for (int k = 0; k < width; ++k) sums[k] += __shfl_xor_sync(group, sums[k], offset, lanes);
    }
    if (lane == 0) v.count[cell] = count;
    if (lane >= vectors) continue;
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] = __fdiv_rn(sums[k], __int2float_rn(count));
    store(v.sums_of<Features>(static_cast<int>(cell)) + lane * width, sums);
  }
}

void sorted(launcher& to, const problem& p, const switches&) {
  if (p.all_points() == 0) return;
  const voxel_order order = order_by_voxel(to, p, scratch(p).order);
  with_features(p, [&](auto features) {
    launch(to, sum_runs<features>, dim3(blocks_for(p.all_points(), block_threads)), dim3(block_threads), 0,
           view(p), order, p.all_points(), static_cast<unsigned>(p.all_cells()));
  });
}

}  // namespace ablate::voxel_mean
