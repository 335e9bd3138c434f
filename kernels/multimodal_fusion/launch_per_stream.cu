// Three launches, one per stream, each writing its part of the output rows. Brackets in registers:
// trajectory_resample's per_target, one search per target by one lane of a warp, times in device memory or in
// shared memory. Brackets in shared memory, with times there too: eight threads of a block search for its
// eight targets, then each warp takes one. The control: what a framework does, stream by stream. Should move,
// against one launch: time, by two launches; a stream of 6 channels keeps 6 of 32 lanes busy either way.
#include "kernels/common/switches.h"
#include "kernels/multimodal_fusion/parts.h"
#include "kernels/multimodal_fusion/view.cuh"
#include "kernels/trajectory_resample/launches.h"

namespace ablate::multimodal_fusion {

template <class Element>
__global__ __launch_bounds__(block_threads) void resample_through_brackets(
    trajectory_resample::view<Element> v) {
  extern __shared__ float shared[];
  bracket* const brackets = reinterpret_cast<bracket*>(shared + v.samples);
  const float* const times = trajectory_resample::staged_times(v, shared);
  const int first_target = blockIdx.x * targets_per_block;
  if (threadIdx.x < targets_per_block && first_target + static_cast<int>(threadIdx.x) < v.targets)
    brackets[threadIdx.x] = v.bracket_of(times, v.target_time(blockIdx.y, first_target + threadIdx.x));
  __syncthreads();
  const int warp = threadIdx.x / warp_lanes;
  if (first_target + warp >= v.targets) return;
  for (int channel = threadIdx.x % warp_lanes; channel < v.channels; channel += warp_lanes)
    v.interpolate(blockIdx.y, first_target + warp, brackets[warp], channel);
}

void resample_streams(launcher& to, const problem& p, brackets_in brackets, times_in times) {
  for (int which = 0; which < stream_count; ++which) {
    const trajectory_resample::problem of_stream = resampling_of(p, which);
    if (brackets == brackets_in::registers) {
      trajectory_resample::per_target(to, of_stream, {{"smem", times == times_in::shared ? "on" : "off"}});
      continue;
    }
    trajectory_resample::with_element(p.type, [&](auto zero) {
      using Element = decltype(zero);
      launch(to, resample_through_brackets<Element>, grid_of(p), dim3(block_threads),
             trajectory_resample::time_bytes(of_stream) + targets_per_block * sizeof(bracket),
             trajectory_resample::view<Element>(of_stream));
    });
  }
}

}  // namespace ablate::multimodal_fusion
