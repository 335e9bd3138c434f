// From sums to means: mean = sum / count in every cell that has points. A warp reads the counts of 128 cells
// at once and is done if all are empty, so on sparse grids this costs one pass over the counts (4 bytes per
// cell); otherwise its lanes share each cell's features, 16 bytes per lane.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

/// A warp reads this many times 32 counts at once.
constexpr int counts_at_once = 4;

/// `sums` may be `mean`.
template <int Features>
__global__ __launch_bounds__(block_threads) void divide_by_count(const int* count, long long cells,
                                                                 const float* sums, float* mean) {
  constexpr int width = vector_width<Features>, lanes = Features / width, at_once = warp_lanes / lanes;
  const long long warp = (static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x) / warp_lanes;
  const int lane = static_cast<int>(threadIdx.x % warp_lanes);
  wait_for_previous_kernel();
  int own[counts_at_once], any = 0;
#pragma unroll
  for (int k = 0; k < counts_at_once; ++k) {
    const long long cell = (warp * counts_at_once + k) * warp_lanes + lane;
    any |= own[k] = cell < cells ? count[cell] : 0;
  }
  if (__all_sync(whole_warp, any == 0)) return;
#pragma unroll
  for (int k = 0; k < counts_at_once; ++k) {
    if (__all_sync(whole_warp, own[k] == 0)) continue;
    const long long first = (warp * counts_at_once + k) * warp_lanes;
#pragma unroll
    for (int c = 0; c < warp_lanes; c += at_once) {
      const int cell = c + lane / lanes, points = __shfl_sync(whole_warp, own[k], cell);
      if (points == 0) continue;
      const long long at = (first + cell) * Features + lane % lanes * width;
      float values[width];
      load(values, sums + at);
#pragma unroll
      for (int j = 0; j < width; ++j) values[j] = __fdiv_rn(values[j], __int2float_rn(points));
      store(mean + at, values);
    }
  }
}

void divide_sums(launcher& to, const problem& p, bool overlaps_previous) {
  with_features(p, [&](auto features) {
    launch(to, divide_by_count<features>,
           {.grid = dim3(blocks_for(p.all_cells(), counts_at_once * block_threads)),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps_previous},
           p.count, p.all_cells(), p.mean, p.mean);
  });
}

}  // namespace ablate::voxel_mean
