// Forward attention on Hopper: tensor memory accelerator, warpgroup products, warp specialization.
//   S = Q·Kᵀ (64 queries of a warpgroup × 128 keys, fp32 in registers), P = 2^(c·s − m) with c = log2(e) /
//   √D, O += P·V with P as the register operand: accumulators of S are, packed to bf16, fragments of A.
// One thread of the first warpgroup copies: the block's queries, then tiles of 128 keys and of their values
// around a ring of stages, each with a barrier for "full" and one for "empty". Where a tile's rows stand is
// looked up in the scope table, one word for as many rows as a bucket has; that is all that redirection
// costs. The other warpgroups own 64 queries each. Blocks are persistent and take query tiles in turn, tiles
// of one (window, head) together, so that its keys and values come from L2. Should move: the tensor pipe's
// activity; DRAM reads, down to each row once.
// The parts stand in hopper_core/: tile scheduler, producer, mainloop with its softmax, epilogue.
#pragma once

#include "kernels/window_attention/hopper_core/mainloop.cuh"
#include "kernels/window_attention/hopper_core/producer.cuh"

namespace ablate::window_attention {

template <class Shape, class Options>
__global__ __launch_bounds__(Shape::threads,
                             1) void attend_on_hopper(const __grid_constant__ forward_maps maps, view v) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<typename consumer<Shape, Options>::memory*>(
      raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * Shape::groups;
    for (int s = 0; s < 2; ++s) {
      hopper::initialize(shared.queries_full[s], 1);
      hopper::initialize(shared.queries_empty[s], consumer_warps);
    }
    for (int s = 0; s < Shape::stages; ++s) {
      hopper::initialize(shared.keys_full[s], 1);
      hopper::initialize(shared.keys_empty[s], consumer_warps);
      hopper::initialize(shared.values_full[s], 1);
      hopper::initialize(shared.values_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  if constexpr (Options::sums_by_product) write_ones<Shape>(shared.ones);
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == 0) {
    hopper::give_registers<Shape::producer_registers>();
    if (threadIdx.x == 0) produce<Shape, Options::from_list>(maps, v, shared);
  } else {
    hopper::take_registers<Shape::consumer_registers>();
    consumer<Shape, Options>(maps, v, shared, group - 1).run();
  }
#endif
}

}  // namespace ablate::window_attention
