// The producer thread of the forward core: copies queries, keys and values by TMA.
#pragma once

#include <type_traits>

#include "kernels/common/hopper/row_boxes.cuh"
#include "kernels/window_attention/hopper_core/memory.cuh"
#include "kernels/window_attention/hopper_core/tile_scheduler.cuh"
#include "kernels/window_attention/row_walk.cuh"

namespace ablate::window_attention {

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Copies a tile of keys, or values, once all that read the stage's last one have left it.
template <block_shape Block>
__device__ inline void copy_keys(unsigned char* to, const CUtensorMap& map, const query_tile& t, int row,
                                 hopper::barrier& full, hopper::barrier& empty, unsigned parity) {
  using namespace hopper;
  if constexpr (Block.blocks == 1) {
    wait(empty, parity ^ 1);
    arrive_expecting(full, Block.tile_bytes());
    copy_box_in<Block.width>(to, map, row, t.head, t.batch, full);
  } else {
    // Its half for both blocks; the other one's comes from there.
    constexpr std::uint16_t both = 3;
    const int half = rank_in_cluster<Block>();
    wait_in_cluster(empty, parity ^ 1);
    arrive_expecting(full, Block.tile_bytes());
    to += half * Block.tile_bytes() / 2;
    if constexpr (Block.panels() == 2)
      copy_box_to_blocks(to, map, row, 2 * t.head + half, t.batch, full, both);
    else
      copy_box_to_blocks(to, map, row + keys_per_tile / 2 * half, t.head, t.batch, full, both);
  }
}

/// The thread that copies. `at` and `queries_at`: how far the rings of keys and queries have turned.
template <block_shape Block, bool FromList, class Memory, class Tiles = all_tiles>
__device__ void produce(const forward_maps& maps, const view& v, Memory& shared, const Tiles& taken = {},
                        hopper::ring_position at = {}, hopper::ring_position queries_at = {}) {
  using namespace hopper;
  const int key_tiles = v.window / keys_per_tile, last_block = v.window / rows_per_group - 1;
  // What a producer of pairs has to know besides leaves it no registers for longer numbers.
  using number = std::conditional_t<Block.blocks == 1, long long, unsigned>;
  const auto tiles = static_cast<number>(tile_count<FromList>(v)),
             apart = static_cast<number>(turns_apart<Block>());
  for (auto i = static_cast<number>(first_turn<Block>()); i < tiles; i += apart) {
    if (!taken.has(i)) continue;
    const query_tile t = tile_of<Block>(v, tile_index<FromList>(v, i));
    barrier& queries_full = shared.queries_full[queries_at.stage];
    wait(shared.queries_empty[queries_at.stage], queries_at.parity ^ 1);
    int(&query_rows)[Block.groups] = shared.query_rows[2 * queries_at.parity + queries_at.stage];
    // A group past the window's end re-reads its last block and stores nothing.
    for (int g = 0; g < Block.groups; ++g)
      query_rows[g] = v.row_of(t.window, min(t.first_block + g, last_block) * rows_per_group);
    arrive_expecting(queries_full, Block.groups * Block.group_bytes());
    for (int g = 0; g < Block.groups; ++g)
      copy_box_in<Block.width>(shared.queries[queries_at.stage][g], maps.queries, query_rows[g], t.head,
                               t.batch, queries_full);
    queries_at.advance<2>();
    row_walk<keys_per_tile> rows(v.scope, t.window, v.buckets_per_window, v.bucket);
    for (int tile = 0; tile < key_tiles; ++tile) {
      const int row = rows.next();
      copy_keys<Block>(shared.keys[at.stage], maps.keys, t, row, shared.keys_full[at.stage],
                       shared.keys_empty[at.stage], at.parity);
      copy_keys<Block>(shared.values[at.stage], maps.values, t, row, shared.values_full[at.stage],
                       shared.values_empty[at.stage], at.parity);
      at.advance<Block.stages>();
    }
  }
}

#endif

}  // namespace ablate::window_attention
