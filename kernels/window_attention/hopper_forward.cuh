// Forward attention on Hopper: TMA, warpgroup MMAs, warp specialization.
//   S = Q·Kᵀ (a warpgroup's 64 queries × 128 keys, fp32 in registers), P = 2^(c·s − m) with c = log2(e) / √D,
//   O += P·V with P as the register operand: the accumulators of S, packed to bf16, are fragments of A.
// One producer thread of the first warpgroup copies the block's queries, then tiles of 128 keys and their
// values through a ring of stages, each with a "full" and an "empty" barrier. The scope table gives the
// location of a tile's rows, one word per bucket; that is all that indirection costs. The other warpgroups
// own 64 queries each. Blocks are persistent and take query tiles in turn, those of one (window, head)
// together, so that its keys and values come from L2. Should move: the tensor pipe's activity; DRAM reads,
// down to each row once.
// The parts are in hopper_core/: tile scheduler, producer, mainloop with its softmax, epilogue.
#pragma once

#include "kernels/common/dependent_launch.cuh"
#include "kernels/window_attention/hopper_core/again.cuh"
#include "kernels/window_attention/hopper_core/mainloop.cuh"
#include "kernels/window_attention/hopper_core/producer.cuh"
#include "kernels/window_attention/hopper_core/stream.cuh"

namespace ablate::window_attention {

template <class Configured>
__global__ __launch_bounds__(Configured::config.block.threads(),
                             1) void attend_on_hopper(const __grid_constant__ forward_maps maps, view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr forward_config C = Configured::config;
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared =
      *reinterpret_cast<typename consumer<C>::memory*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * C.block.groups;
    for (int s = 0; s < 2; ++s) {
      hopper::initialize(shared.queries_full[s], 1);
      hopper::initialize(shared.queries_empty[s], consumer_warps);
    }
    for (int s = 0; s < C.block.stages; ++s) {
      hopper::initialize(shared.keys_full[s], 1);
      hopper::initialize(shared.keys_empty[s], consumer_warps);
      hopper::initialize(shared.values_full[s], 1);
      hopper::initialize(shared.values_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
    if constexpr (C.inline_retry) shared.again = 0;
  }
  if constexpr (C.softmax.sums_by_product) write_ones<C.block>(shared.ones);
  let_next_kernel_begin();
  __syncthreads();
  wait_for_previous_kernel();
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == 0) {
    hopper::setmaxnreg_dec<C.block.producer_registers>();
    if (threadIdx.x == 0) produce<C.block, C.from_list>(maps, v, shared);
    if constexpr (C.inline_retry) produce_again<C.block>(maps, v, shared);
  } else {
    hopper::setmaxnreg_inc<C.block.consumer_registers>();
    if constexpr (C.cross_tile)
      streaming_consumer<C>(maps, v, shared, group - 1).run();
    else
      consumer<C>(maps, v, shared, group - 1).run();
    if constexpr (C.inline_retry) consume_again<C.block>(maps, v, shared, group - 1);
  }
#endif
}

}  // namespace ablate::window_attention
