// Compression attention on Hopper, alone or with the choice of blocks: warpgroup MMAs, TMA, warp
// specialization.
//   S = Q·Kᵀ (a warpgroup's 64 queries × 64 or 96 keys, fp32 in registers), P = 2^(c·s − m), O += P·V with P
//   as the register operand, as in window_attention/hopper_forward.cuh; lists and softmax: hopper_core/.
// One producer thread copies queries, keys and values; keys and values pass through a ring of stages, and
// groups wait for tiles, not for each other, so that a warp that merges lists holds up only its own group.
// Three groups take turns issuing their MMAs; with rows for only a few tiles a multiprocessor two groups
// leave fewer of them idle at the end. Should move: the tensor pipe's activity against attend.cuh;
// instructions a score, by less than 2, between attention alone and with lists. Specification:
// gated_sparse_attention §4, C0 and C2; sparse_attention_hopper §2.
#include <algorithm>

#include "kernels/common/hopper/row_boxes.h"
#include "kernels/compression_attention/hopper_core/consumer.cuh"

namespace ablate::compression_attention {
namespace by_warpgroup {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// The thread that copies.
template <class Shape, class Memory>
__device__ void produce(const tensor_maps& maps, const view& v, int keys_before, Memory& shared) {
  using namespace hopper;
  ring_position at;
  unsigned queries_parity = 1;
  const auto copy_tile = [&](void* to, const CUtensorMap& map, int tile, int head, barrier& full,
                             barrier& empty) {
    wait(empty, at.parity ^ 1);
    arrive_expecting(full, Shape::tile_bytes);
    copy_box_in<width>(to, map, tile * Shape::keys_per_tile, 0, head, full);
  };
  const query_tiles<Shape> tiles(v);
  for (long long i = blockIdx.x; i < tiles.count(); i += gridDim.x) {
    const int head = tiles.head(i), first_row = tiles.first_row(i);
    const key_tiles keys = key_tiles_of<Shape>(v, first_row, keys_before);
    for (int tile = 0; tile < keys.count; ++tile) {
      const unsigned stage = at.stage;
      copy_tile(shared.keys[stage], maps.keys, keys[tile], head, shared.keys_full[stage],
                shared.keys_empty[stage]);
      // Groups free their queries late, so the first keys are on their way before.
      for (int g = 0; tile == 0 && g < Shape::groups; ++g) {
        wait(shared.queries_empty[g], queries_parity);
        arrive_expecting(shared.queries_full[g], group_bytes);
        copy_box_in<width>(shared.queries[g], maps.queries, first_row + g * rows_per_group, 0, head,
                           shared.queries_full[g]);
      }
      copy_tile(shared.values[stage], maps.values, keys[tile], head, shared.values_full[stage],
                shared.values_empty[stage]);
      at.advance<Shape::stages>();
    }
    queries_parity ^= 1;
  }
}

#endif

template <class Shape, class Chooser>
__global__ __launch_bounds__(Shape::threads,
                             1) void attend_by_warpgroup(const __grid_constant__ tensor_maps maps,
                                                         const __grid_constant__ view v, int keys_before) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char raw[];
  const unsigned misaligned = hopper::shared_address(raw) % 1024;
  auto& shared =
      *reinterpret_cast<block_memory<Shape, Chooser>*>(raw + (misaligned == 0 ? 0 : 1024 - misaligned));
  if (threadIdx.x == 0) {
    constexpr unsigned consumer_warps = 4 * Shape::groups;
    for (int g = 0; g < Shape::groups; ++g) {
      hopper::initialize(shared.queries_full[g], 1);
      hopper::initialize(shared.queries_empty[g], 1);
    }
    for (int s = 0; s < Shape::stages; ++s) {
      hopper::initialize(shared.keys_full[s], 1);
      hopper::initialize(shared.keys_empty[s], consumer_warps);
      hopper::initialize(shared.values_full[s], 1);
      hopper::initialize(shared.values_empty[s], consumer_warps);
    }
    hopper::fence_initialization();
  }
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / 128;
  if (group == 0) {
    hopper::give_registers<Shape::producer_registers>();
    if (threadIdx.x == 0) produce<Shape>(maps, v, keys_before, shared);
  } else {
    hopper::take_registers<Shape::consumer_registers>();
    consumer<Shape, Chooser>(maps, v, keys_before, shared, group - 1).run();
  }
#endif
}

template <class Shape, class Chooser>
void run(launcher& to, const problem& p, int keys_before) {
  const view v(p);
  const auto map_of = [&](const std::uint16_t* base, unsigned rows) {
    return hopper::row_boxes(to, {base, p.heads, p.rows, 1, width, width}, rows);
  };
  const tensor_maps maps = {map_of(p.q, rows_per_group), map_of(p.k, Shape::keys_per_tile),
                            map_of(p.v, Shape::keys_per_tile), map_of(p.out, rows_per_group)};
  const auto blocks =
      static_cast<unsigned>(std::min<long long>(query_tiles<Shape>(v).count(), to.device().multiprocessors));
  launch(to, attend_by_warpgroup<Shape, Chooser>, dim3(blocks), dim3(Shape::threads),
         sizeof(block_memory<Shape, Chooser>) + 1024, maps, v, keys_before);
}

/// `ThreeGroups`, `TwoGroups`: their shapes.
template <class Chooser, class ThreeGroups, class TwoGroups>
void run(launcher& to, const problem& p, const switches& s) {
  if (p.work == phase::read_back) return compare_with_plain(to, p);
  // Images that see the same places follow each other: what a row matches best is near.
  const int keys_before = s.word("first_keys") == "near" ? 384 : -1;
  const std::string& groups = s.word("groups");
  constexpr std::int64_t long_rows = 16384;
  if (groups == "3" || (groups == "by_rows" && p.rows >= long_rows))
    run<ThreeGroups, Chooser>(to, p, keys_before);
  else
    run<TwoGroups, Chooser>(to, p, keys_before);
}

}  // namespace by_warpgroup

using by_warpgroup::block_shape;

void hopper_attention_only(launcher& to, const problem& p, const switches& s) {
  by_warpgroup::run<by_warpgroup::no_lists, block_shape<3, 96, 3, 32, 160, true>,
                    block_shape<2, 96, 4, 24, 240, true>>(to, p, s);
}

void hopper_threshold(launcher& to, const problem& p, const switches& s) {
  by_warpgroup::run<by_warpgroup::running_lists, block_shape<3, 96, 3, 32, 160, false>,
                    block_shape<2, 96, 4, 24, 240, false>>(to, p, s);
}

}  // namespace ablate::compression_attention
