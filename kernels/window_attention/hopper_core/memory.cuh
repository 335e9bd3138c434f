// The composition of a block of the Hopper forward core: options, warpgroups, tiles, shared memory.
#pragma once

#include <cuda.h>

#include <type_traits>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/attention_core/products.cuh"
#include "kernels/attention_core/row_softmax.cuh"

namespace ablate::window_attention {

/// `PingPong`: warpgroups take turns issuing their MMAs, so some are in their softmax while others multiply.
/// `SumsByProduct`: eight columns of ones next to the values let the MMA sum the probabilities too (not
/// online). `FromList`: only the query tiles on the list.
template <softmax_form Form, int SoftwareExp2 = 0, bool PingPong = false, bool SumsByProduct = false,
          bool FromList = false>
struct forward_options : softmax_options<Form, SoftwareExp2> {
  static constexpr bool from_list = FromList;
  static constexpr bool scattered_rows = false;  ///< outputs go to rows looked up in the index
  static constexpr bool again_at_once = false;   ///< blocks do again what overflows, not a list (again.cuh)
  static constexpr bool across_tiles = false;    ///< MMAs overlap from query tile to query tile (stream.cuh)
  static constexpr bool sums_by_product = SumsByProduct;
  static constexpr bool ping_pong = PingPong;
};

constexpr int keys_per_tile = 128;

/// The shape of a block. `Overlaps`: the MMAs of the next scores are issued before the softmax of these.
/// `ListedRows`: queries per redone tile, by the shape that redoes them.
template <int Width, int Groups, int Stages, bool Overlaps, int ProducerRegisters, int ConsumerRegisters,
          int ListedRows = rows_per_group* Groups>
struct forward_shape {
  static constexpr int width = Width, groups = Groups, stages = Stages;
  static constexpr bool overlaps = Overlaps;
  static constexpr int producer_registers = ProducerRegisters, consumer_registers = ConsumerRegisters;
  static constexpr int threads = 128 * (1 + Groups), query_rows = rows_per_group * Groups;
  static constexpr int listed_rows = ListedRows;
  static constexpr int blocks = 1;  ///< of a cluster
  static constexpr int span_bytes = Width >= 64 ? 128 : 2 * Width;
  static constexpr int panels = Width > 64 ? 2 : 1;  ///< of 128-byte rows
  using swizzle = hopper::swizzle<span_bytes>;
  static constexpr unsigned group_bytes = rows_per_group * Width * 2, tile_bytes = keys_per_tile * Width * 2;
};

/// The same for each of two blocks of a cluster that take neighboring query tiles and share their window's
/// keys and values: each brings half of a tile, and the copies go to both.
template <block_shape Block>
struct paired_shape : Shape {
  static_assert(Block.width >= 64);
  static constexpr int blocks = 2;
};

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

/// The same where a block does again what overflowed: which of its tiles (tile_sets).
template <block_shape Block>
struct again_memory : forward_memory<Block, true> {
  unsigned long long again;
};

template <forward_config C>
using memory_of = std::conditional_t<C.again_at_once, again_memory<C.block>,
                                     forward_memory<C::sums_by_product>>;

/// The named barrier of a consumer warpgroup (0 is the block's own), and that of its turn.
__device__ constexpr int group_barrier(int group) { return 1 + group; }
__device__ constexpr int turn_barrier(int group) { return 8 + group; }
/// That of all consumers and the producer's warp.
constexpr int again_barrier = 15;

/// Tensor maps of the four tensors: boxes of 64 rows (queries, outputs) and of 128 (keys, values), or of half
/// of these: 64 rows, or 64 of 128 elements, as a head of its own.
struct forward_maps {
  CUtensorMap queries, keys, values, outputs;
};

}  // namespace ablate::window_attention
