// The plain form: a thread adds one point's features to its cell, and one to the cell's count; then all sums
// are divided. `width` floats per reduction: 1 is what every scatter starts with, 2 and 4 are sm_90's vector
// reductions, which suit a cell's features, aligned and side by side. All load features 16 bytes at a time.
// Should move: L2 reduction requests, from F + 1 to F / width + 1 per point with F features.
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

template <int Features, int Width>
__global__ __launch_bounds__(block_threads) void add_by_point(view v) {
  constexpr int loaded = vector_width<Features>;
  const long long i = point_of_thread();
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  if (cell < 0) return;
  atomicAdd(v.count + cell, 1);
  const float* const features = v.features_of<Features>(i);
  float* const sums = v.sums_of<Features>(cell);
#pragma unroll 4
  for (int f = 0; f < Features; f += loaded) {
    float values[loaded];
    load(values, features + f);
    add<Width>(sums + f, values);
  }
}

void point_atomic(launcher& to, const problem& p, const switches& s) {
  with_features_and_width(p, s.integer("width"), [&](auto features, auto width) {
    launch(to, add_by_point<features, width>, grid_of(p, block_threads), dim3(block_threads), 0, view(p));
  });
  divide_sums(to, p);
}

}  // namespace ablate::voxel_mean
