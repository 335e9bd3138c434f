// Tiles that a block does again itself, after its last one: those that a softmax without a running maximum
// put out of range. Producer and consumers go on with the rings as they are.
#pragma once

#include "kernels/window_attention/hopper_core/mainloop.cuh"
#include "kernels/window_attention/hopper_core/producer.cuh"

namespace ablate::window_attention {

/// Of the consumers that do tiles again: those of hopper_online, in the memory of the others.
template <block_shape Block>
constexpr forward_config online_again = {
    .block = Block, .softmax = {.form = softmax_form::online}, .inline_retry = true};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// By whole warps: all consumers, each of which has seen its own outputs stored, and the producer's warp,
/// whose copies have all been used by then.
template <block_shape Block>
__device__ inline tile_sets tiles_to_do_again(const again_memory<Block>& shared) {
  static_assert(!Block.overlaps, "scores of the next tile would be computed ahead");
  hopper::named_barrier_wait(again_barrier, 128 * Block.groups + 32);
  return {shared.again};
}
__device__ inline unsigned tiles_of_block(const view& v) { return tile_sets::turn_of(v.query_tiles - 1) + 1; }

/// By all threads of the producer warpgroup, after `produce`.
template <block_shape Block>
__device__ inline void produce_again(const forward_maps& maps, const view& v, again_memory<Block>& shared) {
  if (threadIdx.x >= 32) return;
  __syncwarp();
  const tile_sets again = tiles_to_do_again(shared);
  if (threadIdx.x != 0 || again.sets == 0) return;
  const unsigned tiles = tiles_of_block(v),
                 key_tiles = tiles * static_cast<unsigned>(v.window / keys_per_tile);
  using hopper::ring_position;
  constexpr bool from_list = false;
  produce<Block, from_list>(maps, v, shared, again, ring_position::after<Block.stages>(key_tiles),
                            ring_position::after<2>(tiles));
}

/// By a consumer warpgroup, after its first run.
template <block_shape Block>
__device__ inline void consume_again(const forward_maps& maps, const view& v, again_memory<Block>& shared,
                                     int group) {
  const tile_sets again = tiles_to_do_again(shared);
  if (again.sets == 0) return;
  consumer<online_again<Block>> online(maps, v, shared, group);
  online.skip(tiles_of_block(v));
  online.run(again);
}

#endif

}  // namespace ablate::window_attention
