// smem_brackets with the times of all three streams in shared memory too, one array after the other and then
// the brackets, copied by all threads of the block before its 24 searches.
// Idea: dependent reads wait for shared memory instead of L1 or L2. Against it: each block of eight targets
// copies all times. Should move: stalls on L1, down; loads of times, up from about ⌈log₂ samples⌉ per search
// to all samples per block.
#include "kernels/multimodal_fusion/launches.h"
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

void smem_times(launcher& to, const problem& p, const switches&) {
  trajectory_resample::with_element(p.type, [&](auto zero) {
    using Element = decltype(zero);
    launch(to, fuse_with_shared_times<Element>, grid_of(p), dim3(block_threads),
           sizeof(float) * static_cast<std::size_t>(p.samples()) + brackets_per_block * sizeof(bracket),
           view<Element>(p));
  });
}

}  // namespace ablate::multimodal_fusion
