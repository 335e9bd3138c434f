// The producer thread of the forward core: copies queries, keys and values by TMA.
#pragma once

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
  wait(empty, parity ^ 1);
  arrive_expecting(full, Block.tile_bytes());
  tma_load<Block.width>(to, map, row, t.head, t.batch, full);
}

/// The thread that copies. `at` and `queries_at`: how far the rings of keys and queries have turned.
template <block_shape Block, bool FromList, class Memory, class Tiles = all_tiles>
__device__ void produce(const forward_maps& maps, const view& v, Memory& shared, const Tiles& taken = {},
                        hopper::ring_position at = {}, hopper::ring_position queries_at = {}) {
  using namespace hopper;
  const int key_tiles = v.window / keys_per_tile, last_block = v.window / rows_per_group - 1;
  const long long tiles = tile_count<FromList>(v);
  for (long long i = blockIdx.x; i < tiles; i += gridDim.x) {
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
      tma_load<Block.width>(shared.queries[queries_at.stage][g], maps.queries, query_rows[g], t.head, t.batch,
                            queries_full);
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
