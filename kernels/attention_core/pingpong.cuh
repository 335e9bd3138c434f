// Ping-pong: consumer warpgroups issue their MMAs in turn, so that one is in its softmax while another
// multiplies (FlashAttention-3, §3.1). Named barriers carry the turns; 0 is the block's own.
#pragma once

#include "kernels/common/hopper/pipeline.cuh"

namespace ablate::attention_core {

__device__ constexpr int group_barrier(int group) { return 1 + group; }
__device__ constexpr int turn_barrier(int group) { return 8 + group; }

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ inline void await_turn_of(int group) { hopper::named_barrier_wait(turn_barrier(group), 256); }
/// To the next of so many groups.
template <int Groups>
__device__ inline void pass_turn_from(int group) {
  hopper::named_barrier_arrive(turn_barrier((group + 1) % Groups), 256);
}

#endif

}  // namespace ablate::attention_core
