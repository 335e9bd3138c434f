// smem_brackets with the times of all three streams in shared memory too, one array after the other and then
// the brackets, copied by all threads of the block before its 24 searches. Or one_launch with these times:
// three lanes of each warp search them.
// Idea: dependent reads wait for shared memory instead of L1 or L2. Against it: each block of eight targets
// copies all times. Should move: stalls on L1, down; loads of times, up from about ⌈log₂ samples⌉ per search
// to all samples per block.
#include "kernels/multimodal_fusion/parts.h"
#include "kernels/multimodal_fusion/view.cuh"

namespace ablate::multimodal_fusion {

template <class Element>
__global__ __launch_bounds__(block_threads) void fuse_with_shared_times(view<Element> v) {
  extern __shared__ float times[];
  int begins[stream_count], end = 0;
#pragma unroll
  for (int s = 0; s < stream_count; ++s) {
    begins[s] = end;
    const float* const of_stream = v.streams[s].times_of(blockIdx.y);
    for (int i = threadIdx.x; i < v.streams[s].samples; i += block_threads) times[end + i] = of_stream[i];
    end += v.streams[s].samples;
  }
  __syncthreads();
  v.fuse_block(reinterpret_cast<bracket*>(times + end), [&](int s) {
    return times + (s == 0 ? begins[0] : s == 1 ? begins[1] : begins[2]);
  });
}

/// For the kernel below: the streams' times in shared memory, one array after the other, copied by all
/// threads of the block.
struct shared_times {
  const float* times;
  int begins[stream_count], end = 0;

  template <class Element>
  __device__ shared_times(const view<Element>& v, float* to) : times(to) {
#pragma unroll
    for (int s = 0; s < stream_count; ++s) {
      begins[s] = end;
      const float* const of_stream = v.streams[s].times_of(blockIdx.y);
      for (int i = threadIdx.x; i < v.streams[s].samples; i += block_threads) to[end + i] = of_stream[i];
      end += v.streams[s].samples;
    }
    __syncthreads();
  }
  __device__ const float* of(int s) const {
    return times + (s == 0 ? begins[0] : s == 1 ? begins[1] : begins[2]);
  }
};

template <class Element>
__global__ __launch_bounds__(block_threads) void fuse_by_warps_with_shared_times(view<Element> v) {
  extern __shared__ float times[];
  const shared_times staged(v, times);
  const int lane = threadIdx.x % warp_lanes;
  const int target = blockIdx.x * targets_per_block + threadIdx.x / warp_lanes;
  if (target >= v.targets()) return;
  bracket of_lane{};
  if (lane < stream_count) of_lane = v.streams[lane].bracket_of(staged.of(lane), v.target_time(target));
  v.interpolate_by_warp(target, [&](int s) { return trajectory_resample::from_lane(of_lane, s); });
}

void fuse_by_shared_times(launcher& to, const problem& p, brackets_in brackets) {
  const bool shares_brackets = brackets == brackets_in::shared;
  const std::size_t time_bytes = sizeof(float) * static_cast<std::size_t>(p.samples());
  trajectory_resample::with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, shares_brackets ? fuse_with_shared_times<Element> : fuse_by_warps_with_shared_times<Element>,
           grid_of(p), dim3(block_threads),
           time_bytes + (shares_brackets ? brackets_per_block * sizeof(bracket) : 0), view<Element>(p));
  });
}

}  // namespace ablate::multimodal_fusion
