// The kernel of compression attention on Hopper, and its launch: one producer warpgroup, the rest consumers.
#pragma once

#include "kernels/common/dependent_launch.cuh"
#include "kernels/common/hopper/row_boxes.h"
#include "kernels/common/min_max.h"
#include "kernels/compression_attention/hopper_core/consumer.cuh"
#include "kernels/compression_attention/hopper_core/kept_producer.cuh"
#include "kernels/compression_attention/hopper_core/producer.cuh"

namespace ablate::compression_attention::by_warpgroup {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <forward_config C, class Chooser>
using producer_of = std::conditional_t<C.kept_blocks, kept_producer<C, Chooser>, producer<C, Chooser>>;

#endif

template <class Configured, class Chooser>
__global__ __launch_bounds__(Configured::config.block.threads(),
                             1) void attend_by_warpgroup(const __grid_constant__ tensor_maps maps,
                                                         const __grid_constant__ view v, int keys_before) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr forward_config C = Configured::config;
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared = *reinterpret_cast<memory_of<C, Chooser>*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * C.block.groups;
    for (int g = 0; g < C.block.groups; ++g) {
      hopper::initialize(shared.queries_full[g], 1);
      hopper::initialize(shared.queries_empty[g], 1);
    }
    for (int s = 0; s < C.block.stages; ++s) {
      hopper::initialize(shared.keys_full[s], 1);
      hopper::initialize(shared.keys_empty[s], consumer_warps);
      hopper::initialize(shared.values_full[s], 1);
      hopper::initialize(shared.values_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  wait_for_previous_kernel();
  let_next_kernel_begin();
  __syncthreads();
  const int group = hopper::warpgroup();
  if (group == 0) {
    hopper::setmaxnreg_dec<C.block.producer_registers>();
    if (threadIdx.x == 0) producer_of<C, Chooser>(maps, v, keys_before, shared).run();
  } else {
    hopper::setmaxnreg_inc<C.block.consumer_registers>();
    consumer<C, Chooser>(maps, v, keys_before, shared, group - 1).run();
  }
#endif
}

// Images that see the same places follow each other: what a row matches best is near.
inline int keys_before_queries(const switches& s) { return s.word("first_keys") == "near" ? 384 : -1; }

template <forward_config C, class Chooser>
void run(launcher& to, const problem& p, const switches& s) {
  static_assert(sizeof(memory_of<C, Chooser>) + 1024 <= 227 * 1024, "what a block may have on Hopper");
  const view v(p);
  const auto map_of = [&](const std::uint16_t* base, unsigned box, std::int64_t rows, std::int64_t stride) {
    return hopper::row_boxes(to, {base, p.heads, rows, 1, width, width, stride}, box);
  };
  // To copies 64 numbers of int8 are 32 of bf16.
  const auto map_of_int8 = [&](const std::int8_t* base, unsigned box) {
    return hopper::row_boxes(
        to, {reinterpret_cast<const std::uint16_t*>(base), p.heads, p.rows, 1, width / 2, width / 2}, box);
  };
  // Keys that take no part are zeros, as those past the last are.
  tensor_maps maps = {map_of(p.q, rows_per_group, p.rows, p.rows),
                      map_of(p.k, keys_per_box<C>, p.attended_rows(), p.key_stride()),
                      map_of(p.v, keys_per_box<C>, p.attended_rows(), p.key_stride()),
                      map_of(p.out, rows_per_group, p.rows, p.rows)};
  if constexpr (C.int8_scores) {
    maps.queries = map_of_int8(p.int8.q, rows_per_group);
    maps.keys = map_of_int8(p.int8.k, keys_per_box<C>);
  }
  const auto blocks =
      static_cast<unsigned>(std::min<long long>(query_tiles<C>(v).count(), to.device().multiprocessors));
  launch(to, attend_by_warpgroup<configured<C>, Chooser>,
         {.grid = dim3(blocks),
          .block = dim3(C.block.threads()),
          .dynamic_shared_bytes = sizeof(memory_of<C, Chooser>) + 1024,
          .overlaps_previous = s.is_on("pdl")},
         maps, v, keys_before_queries(s));
}

}  // namespace ablate::compression_attention::by_warpgroup
