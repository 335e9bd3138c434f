// From sums to means: mean = sum / count in every cell that has points. A warp reads the counts of 128 cells
// at once and is done if all are empty, so on sparse grids this costs one pass over the counts (4 bytes per
// cell); otherwise its lanes share each cell's features, 16 bytes per lane.
#include "kernels/common/dependent_launch.cuh"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

/// One of the problem's sums as a float, divided by a count.
__device__ inline float mean_of(float sum, int count) { return __fdiv_rn(sum, __int2float_rn(count)); }
__device__ inline float mean_of(long long sum, int count) {
  constexpr double unit = 1.0 / static_cast<double>(1ll << fixed_point_bits);
  return __double2float_rn(__ll2double_rn(sum) * unit / count);
}

/// Loads neighboring sums, 16 bytes at a time if their number allows.
template <int Width, class Sum>
__device__ void load_sums(Sum (&values)[Width], const Sum* from) {
  constexpr int at_once = Width % 4 == 0 ? 16 / sizeof(Sum) : 1;
  struct alignas(at_once * sizeof(Sum)) vector {
    Sum part[at_once];
  };
#pragma unroll
  for (int k = 0; k < Width; k += at_once) {
    const vector loaded = *reinterpret_cast<const vector*>(from + k);
#pragma unroll
    for (int j = 0; j < at_once; ++j) values[k + j] = loaded.part[j];
  }
}

/// A warp reads this many times 32 counts at once.
constexpr int counts_at_once = 4;

/// `sums` may be `mean`.
template <int Features, class Sum>
__global__ __launch_bounds__(block_threads) void divide_by_count(const int* count, long long cells,
                                                                 const Sum* sums, float* mean) {
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
      Sum of_cell[width];
      load_sums(of_cell, sums + at);
      float means[width];
#pragma unroll
      for (int j = 0; j < width; ++j) means[j] = mean_of(of_cell[j], points);
      store(mean + at, means);
    }
  }
}

template <class Sum>
void divide(launcher& to, const problem& p, const Sum* sums, bool overlaps_previous) {
  with_features(p, [&](auto features) {
    launch(to, divide_by_count<features, Sum>,
           {.grid = dim3(blocks_for(p.all_cells(), counts_at_once * block_threads)),
            .block = dim3(block_threads),
            .overlaps_previous = overlaps_previous},
           p.count, p.all_cells(), sums, p.mean);
  });
}

void divide_sums(launcher& to, const problem& p, bool overlaps_previous) {
  divide(to, p, p.mean, overlaps_previous);
}

void divide_fixed_sums(launcher& to, const problem& p) {
  divide(to, p, static_cast<const long long*>(p.fixed_sums), false);
}

}  // namespace ablate::voxel_mean
