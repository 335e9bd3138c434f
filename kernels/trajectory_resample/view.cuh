#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/trajectory_resample/trajectory_resample.h"

namespace ablate::trajectory_resample {

constexpr int warp_lanes = 32;
constexpr unsigned whole_warp = 0xffffffffu;

/// Consecutive elements read or written at once.
template <class Element, int Width>
struct alignas(Width * sizeof(Element)) pack {
  Element at[Width];
};

/// Elements in 16 bytes.
template <class Element>
constexpr int elements_of_vector = 16 / static_cast<int>(sizeof(Element));

__device__ inline float number(float value) { return value; }
__device__ inline float number(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline void round_to(float& to, float value) { to = value; }
__device__ inline void round_to(__nv_bfloat16& to, float value) { to = __float2bfloat16_rn(value); }

/// (1 − α) · first + α · second with one rounding fewer than written: exact at both ends, and within one unit
/// in the last place of the larger term. first + α · (second − first) is neither.
__device__ inline float between(float first, float second, float weight) {
  return fmaf(weight, second, fmaf(-weight, first, first));
}

/// The problem as a kernel argument.
template <class Element>
struct view {
  const Element* source;
  const float* source_times;
  const float* target_times;
  Element* out;
  int samples, targets, channels, out_row;
  weight_limits limits;

  explicit view(const problem& p)
      : source(static_cast<const Element*>(p.source)),
        source_times(p.source_times),
        target_times(p.target_times),
        out(static_cast<Element*>(p.out)),
        samples(p.samples),
        targets(p.targets),
        channels(p.channels),
        out_row(p.out_row),
        limits(limits_of(p.beyond)) {}

  /// The trajectory's times in device memory.
  __device__ const float* times_of(int batch) const {
    return source_times + static_cast<long long>(batch) * samples;
  }
  __device__ float target_time(int batch, int target) const {
    return target_times[static_cast<long long>(batch) * targets + target];
  }

  /// Number of samples that are not later than a target: ⌈log₂(samples + 1)⌉ dependent reads.
  __device__ int count_not_later(const float* times, float target) const {
    int low = 0, high = samples;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (times[middle] <= target)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// i and α from the number of samples that are not later.
  __device__ bracket bracket_behind(const float* times, int not_later, float target) const {
    if (samples == 1) return {0, 0.0f};
    const int first = min(max(not_later - 1, 0), samples - 2);
    const float gap = __fsub_rn(times[first + 1], times[first]);
    const float weight = gap < smallest_gap_s ? 0.0f : __fdiv_rn(__fsub_rn(target, times[first]), gap);
    return {first, fminf(fmaxf(weight, limits.least), limits.most)};
  }

  __device__ bracket bracket_of(const float* times, float target) const {
    return bracket_behind(times, count_not_later(times, target), target);
  }

  /// Writes `Width` channels of one target.
  template <int Width = 1>
  __device__ void interpolate(int batch, int target, const bracket& at, int channel) const {
    using several = pack<Element, Width>;
    const long long row = static_cast<long long>(batch) * samples + at.first;
    const Element* const below = source + row * channels + channel;
    const Element* const above = at.first + 1 < samples ? below + channels : below;
    const several first = *reinterpret_cast<const several*>(below);
    const several second = *reinterpret_cast<const several*>(above);
    several result;
#pragma unroll
    for (int i = 0; i < Width; ++i)
      round_to(result.at[i], between(number(first.at[i]), number(second.at[i]), at.weight));
    *reinterpret_cast<several*>(out + (static_cast<long long>(batch) * targets + target) * out_row +
                                channel) = result;
  }
};

__device__ inline bracket from_lane(const bracket& mine, int lane) {
  return {__shfl_sync(whole_warp, mine.first, lane), __shfl_sync(whole_warp, mine.weight, lane)};
}

/// This block's trajectory's times, copied to shared memory by all threads of the block.
template <class Element>
__device__ const float* staged_times(const view<Element>& v, float* shared) {
  const float* const times = v.times_of(blockIdx.y);
  for (int i = threadIdx.x; i < v.samples; i += blockDim.x) shared[i] = times[i];
  __syncthreads();
  return shared;
}

inline std::size_t time_bytes(const problem& p) {
  return sizeof(float) * static_cast<std::size_t>(p.samples);
}

/// Calls `form(Element{})` for the problem's element type.
template <class Form>
void with_element(element type, Form form) {
  type == element::float32 ? form(float{}) : form(__nv_bfloat16{});
}

/// Calls `form(Element{}, width)` for the problem's element type and the widest access that its rows allow:
/// 16 bytes, or one element where rows are not a multiple of that.
template <class Form>
void with_vectors(const problem& p, Form form) {
  with_element(p.type, [&](auto zero) {
    constexpr int width = elements_of_vector<decltype(zero)>;
    if (p.channels % width == 0 && p.out_row % width == 0)
      form(zero, std::integral_constant<int, width>{});
    else
      form(zero, std::integral_constant<int, 1>{});
  });
}

/// A grid of blocks that take this many targets of one trajectory each, times the trajectories.
inline dim3 grid_of(const problem& p, int targets_per_block) {
  return dim3(blocks_for(p.targets, targets_per_block), static_cast<unsigned>(p.batch));
}

}  // namespace ablate::trajectory_resample
