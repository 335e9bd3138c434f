// Shared memory of a block of the Hopper forward core, its named barriers and its tensor maps.
#pragma once

#include <cuda.h>

#include <type_traits>

#include "kernels/attention_core/forward_config.h"
#include "kernels/common/hopper/pipeline.cuh"

namespace ablate::window_attention {

using namespace attention_core;

constexpr int keys_per_tile = 128;

/// Queries are double-buffered: this tile's and the next one's; `WithOnes`: columns of ones next to the
/// values.
template <block_shape Block, bool WithOnes>
struct forward_memory {
  alignas(1024) unsigned char queries[2][Block.groups][Block.group_bytes()];
  alignas(1024) unsigned char keys[Block.stages][Block.tile_bytes()];
  alignas(1024) unsigned char values[Block.stages][Block.tile_bytes()];
  alignas(1024) unsigned char ones[WithOnes ? keys_per_tile * Block.span_bytes() : 16];
  alignas(1024) unsigned char outputs[Block.groups][Block.group_bytes()];
  hopper::barrier queries_full[2], queries_empty[2];
  hopper::barrier keys_full[Block.stages], keys_empty[Block.stages];
  hopper::barrier values_full[Block.stages], values_empty[Block.stages];
  /// The first query rows of four tiles in rotation, as looked up by the producer thread, which may be two
  /// ahead of the tile whose outputs are being stored.
  int query_rows[4][Block.groups];
  float greatest_key[Block.groups][4], greatest_query[Block.groups][4];  ///< squared norms, by warp
};

constexpr bool with_ones = true;

/// The same where a block does again what overflowed: which of its tiles (tile_sets).
template <block_shape Block>
struct again_memory : forward_memory<Block, with_ones> {
  unsigned long long again;
};

template <forward_config C>
using memory_of = std::conditional_t<C.inline_retry, again_memory<C.block>,
                                     forward_memory<C.block, C.softmax.sums_by_product>>;

/// That of all consumers and the producer's warp.
constexpr int again_barrier = 15;

/// Tensor maps of the four tensors: boxes of 64 rows (queries, outputs) and of 128 (keys, values), or of half
/// of these: 64 rows, or 64 of 128 elements, as a head of its own.
struct forward_maps {
  CUtensorMap queries, keys, values, outputs;
};

}  // namespace ablate::window_attention
