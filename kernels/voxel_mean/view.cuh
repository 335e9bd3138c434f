#pragma once

#include <type_traits>

#include "kernels/common/lane_peers.cuh"
#include "kernels/common/point_grid.cuh"
#include "kernels/common/refuse_launch.h"
#include "kernels/common/switches.h"
#include "kernels/voxel_mean/phases.h"

namespace ablate::voxel_mean {

constexpr int block_threads = 256;

/// Floats per load or reduction: as many as the number of features allows.
template <int Features>
constexpr int vector_width = Features % 4 == 0 ? 4 : 1;

/// The problem as a kernel argument.
struct view : point_grid_view {
  const float* point_features;
  float* mean;
  int* count;

  explicit view(const problem& p)
      : point_grid_view(p), point_features(p.point_features), mean(p.mean), count(p.count) {}

  /// Features of point `i` of this block's cloud.
  template <int Features>
  __device__ const float* features_of(long long i) const {
    return point_features + Features * (blockIdx.y * points_per_cloud + i);
  }
  /// A cell's sums; cells are numbered over all clouds.
  template <int Features>
  __device__ float* sums_of(int cell) const {
    return mean + static_cast<long long>(Features) * cell;
  }
};

/// This thread's index in its cloud, at one point per thread.
__device__ inline long long point_of_thread() {
  return static_cast<long long>(blockIdx.x) * block_threads + threadIdx.x;
}

/// Loads neighboring floats, aligned to `Width` floats, at once.
template <int Width>
__device__ void load(float (&values)[Width], const float* from) {
  if constexpr (Width == 4) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    values[0] = v.x, values[1] = v.y, values[2] = v.z, values[3] = v.w;
  } else if constexpr (Width == 2) {
    const float2 v = *reinterpret_cast<const float2*>(from);
    values[0] = v.x, values[1] = v.y;
  } else {
    static_assert(Width == 1);
    values[0] = *from;
  }
}

template <int Width>
__device__ void store(float* to, const float (&values)[Width]) {
  if constexpr (Width == 4)
    *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
  else
    for (int k = 0; k < Width; ++k) to[k] = values[k];
}

/// Adds 2 or 4 neighboring floats, aligned to the whole vector, in one reduction: sm_90 and later.
__device__ inline void add_vector(float* to, float a, float b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "f"(a), "f"(b)
               : "memory");
#else
  __trap();
#endif
}
__device__ inline void add_vector(float* to, float a, float b, float c, float d) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "f"(a),
               "f"(b), "f"(c), "f"(d)
               : "memory");
#else
  __trap();
#endif
}

/// Adds `Count` neighboring values in device memory, `Width` per reduction.
template <int Width, int Count>
__device__ void add(float* to, const float (&values)[Count]) {
  static_assert(Count % Width == 0);
#pragma unroll
  for (int k = 0; k < Count; k += Width) {
    if constexpr (Width == 4)
      add_vector(to + k, values[k], values[k + 1], values[k + 2], values[k + 3]);
    else if constexpr (Width == 2)
      add_vector(to + k, values[k], values[k + 1]);
    else
      atomicAdd(to + k, values[k]);
  }
}

/// Calls `form(std::integral_constant<int, features>{})`.
template <class Form>
void with_features(const problem& p, Form form) {
  switch (p.features) {
    case 1:
      return form(std::integral_constant<int, 1>{});
    case 4:
      return form(std::integral_constant<int, 4>{});
    case 8:
      return form(std::integral_constant<int, 8>{});
    case 64:
      return form(std::integral_constant<int, 64>{});
  }
  refuse_launch({"voxel_mean: expected 1, 4, 8 or 64 features, found ", p.features});
}

/// The same with `form(features, width)`; the number of features must be a multiple of the reductions' width.
template <class Form>
void with_features_and_width(const problem& p, long width, Form form) {
  with_features(p, [&](auto features) {
    if (width == 1) return form(features, std::integral_constant<int, 1>{});
    if constexpr (features % 4 == 0) {
      if (width == 2) return form(features, std::integral_constant<int, 2>{});
      if (width == 4) return form(features, std::integral_constant<int, 4>{});
    }
    refuse_launch({"voxel_mean: no reductions of ", width, " floats for ", p.features, " features"});
  });
}

}  // namespace ablate::voxel_mean
