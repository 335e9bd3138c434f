// per_target with 16-byte accesses, and 4 to 64 targets per block whose searches run side by side.
// Layout: times, then brackets (i, α) of the block's targets, in shared memory; the block's threads loop over
// its vectors, target by target. Rows that are not a multiple of 16 bytes go element by element. Idea: a
// quarter (fp32) or an eighth (bf16) of the loads and stores for the same bytes, and one barrier between
// searches and rows instead of one search per warp. Should move: load and store instructions, down by 4 or 8;
// sectors, unchanged. Without `smem` searches read the times in device memory, and the brackets alone are
// shared.
#include "kernels/common/switches.h"
#include "kernels/trajectory_resample/launches.h"
#include "kernels/trajectory_resample/view.cuh"

namespace ablate::trajectory_resample {

constexpr int vector_block_threads = 128;

template <class Element, int Width>
__global__ __launch_bounds__(vector_block_threads) void resample_vectors(view<Element> v,
                                                                         int targets_per_block) {
  extern __shared__ float shared[];
  bracket* const brackets = reinterpret_cast<bracket*>(shared + v.samples);
  const float* const times = staged_times(v, shared);
  const int first_target = blockIdx.x * targets_per_block;
  const int targets = min(targets_per_block, v.targets - first_target);
  if (threadIdx.x < targets)
    brackets[threadIdx.x] = v.bracket_of(times, v.target_time(blockIdx.y, first_target + threadIdx.x));
  __syncthreads();
  const int vectors = v.channels / Width;
  for (int i = threadIdx.x; i < targets * vectors; i += vector_block_threads) {
    const int target = i / vectors;
    v.template interpolate<Width>(blockIdx.y, first_target + target, brackets[target], i % vectors * Width);
  }
}

/// What resample_vectors does, with the times where they are.
template <class Element, int Width>
__global__ __launch_bounds__(vector_block_threads) void resample_vectors_by_device_times(
    view<Element> v, int targets_per_block) {
  extern __shared__ float shared[];
  bracket* const brackets = reinterpret_cast<bracket*>(shared);
  const int first_target = blockIdx.x * targets_per_block;
  const int targets = min(targets_per_block, v.targets - first_target);
  if (threadIdx.x < targets)
    brackets[threadIdx.x] =
        v.bracket_of(v.times_of(blockIdx.y), v.target_time(blockIdx.y, first_target + threadIdx.x));
  __syncthreads();
  const int vectors = v.channels / Width;
  for (int i = threadIdx.x; i < targets * vectors; i += vector_block_threads) {
    const int target = i / vectors;
    v.template interpolate<Width>(blockIdx.y, first_target + target, brackets[target], i % vectors * Width);
  }
}

void vec16(launcher& to, const problem& p, const switches& s) {
  const bool in_shared = s.is_on("smem");
  const int targets_per_block = static_cast<int>(s.integer("targets_per_block"));
  with_vectors(p, [&](auto zero, auto width) {
    using Element = decltype(zero);
    launch(to,
           in_shared ? resample_vectors<Element, width> : resample_vectors_by_device_times<Element, width>,
           grid_of(p, targets_per_block), dim3(vector_block_threads),
           (in_shared ? time_bytes(p) : 0) + targets_per_block * sizeof(bracket), view<Element>(p),
           targets_per_block);
  });
}

}  // namespace ablate::trajectory_resample
