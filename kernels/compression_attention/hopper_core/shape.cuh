// The composition of a block of compression attention on Hopper: warpgroups, tiles, shared memory.
#pragma once

#include <cuda.h>

#include <type_traits>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/compression_attention/key_boxes.cuh"
#include "kernels/attention_core/products.cuh"

namespace ablate::compression_attention::by_warpgroup {

using window_attention::rows_per_group;

constexpr unsigned group_bytes = rows_per_group * row_bytes;

/// `TakesTurns`: groups issue their MMAs one after the other, so that some are in their softmax while another
/// multiplies.
template <int Groups, int TileKeys, int Stages, int ProducerRegisters, int ConsumerRegisters, bool TakesTurns>
struct block_shape {
  static constexpr bool takes_turns = TakesTurns, meets_kept_blocks = false, multiplies_int8 = false;
  static constexpr int groups = Groups, keys_per_tile = TileKeys, keys_per_box = TileKeys, stages = Stages;
  static constexpr unsigned tile_bytes = TileKeys * row_bytes;                       ///< of values
  static constexpr unsigned key_row_bytes = row_bytes, key_tile_bytes = tile_bytes;  ///< and of queries' rows
  static constexpr int producer_registers = ProducerRegisters, consumer_registers = ConsumerRegisters;
  static constexpr int threads = 128 * (1 + Groups), queries_per_tile = rows_per_group * Groups;
};

/// A query block that meets the key blocks which it keeps: two of them, a box each, are a tile.
struct kept_shape : block_shape<2, 128, 4, 24, 240, true> {
  static constexpr bool meets_kept_blocks = true;
  static constexpr int keys_per_box = kept_blocks::keys;
  static_assert(queries_per_tile == kept_blocks::queries && keys_per_tile == 2 * keys_per_box);
};

/// The same with queries and keys of int8 (int8_rows.h).
struct kept_int8_shape : kept_shape {
  static constexpr bool multiplies_int8 = true;
  static constexpr unsigned key_row_bytes = width, key_tile_bytes = keys_per_tile * key_row_bytes;
};

/// Rows of q, k, v and out in shared memory, for the products and the staged outputs.
struct row_shape {
  static constexpr int width = compression_attention::width, span_bytes = row_bytes;
  using swizzle = hopper::swizzle<span_bytes>;
};

template <class Shape, class Chooser>
struct block_memory {
  alignas(1024) unsigned char queries[Shape::groups][group_bytes];  ///< and outputs, once scores are computed
  alignas(1024) unsigned char keys[Shape::stages][Shape::key_tile_bytes];
  alignas(1024) unsigned char values[Shape::stages][Shape::tile_bytes];
  typename Chooser::memory of_warp[Shape::groups][4];
  hopper::barrier queries_full[Shape::groups], queries_empty[Shape::groups];
  hopper::barrier keys_full[Shape::stages], keys_empty[Shape::stages];
  hopper::barrier values_full[Shape::stages], values_empty[Shape::stages];
};

/// How many keys of a tile's two boxes exist; of int8, what their products with the queries are worth.
struct keys_there {
  int of_first, of_second;
  float scale_of_first, scale_of_second;
};

template <class Shape, class Chooser>
struct kept_memory : block_memory<Shape, Chooser> {
  keys_there there[Shape::stages];  ///< written by the producer ahead of a tile's keys
};

template <class Shape, class Chooser>
using memory_of =
    std::conditional_t<Shape::meets_kept_blocks, kept_memory<Shape, Chooser>, block_memory<Shape, Chooser>>;

/// Tensor maps: boxes of 64 rows of queries and outputs, and of a box of keys and values.
struct tensor_maps {
  CUtensorMap queries, keys, values, outputs;
};

/// The query tiles of all heads, those of a head one after the other, so that its keys and values come from
/// L2; blocks take them in turn.
template <class Shape>
class query_tiles {
 public:
  __host__ __device__ explicit query_tiles(const view& v)
      : of_head_((v.chunk_rows + Shape::queries_per_tile - 1) / Shape::queries_per_tile),
        all_(of_head_ * v.heads),
        first_(v.first_row) {}
  __host__ __device__ long long count() const { return all_; }
  __device__ int head(long long tile) const { return static_cast<int>(tile / of_head_); }
  __device__ int first_row(long long tile) const {
    return static_cast<int>(first_ + tile % of_head_ * Shape::queries_per_tile);
  }

 private:
  long long of_head_, all_, first_;
};

/// The order in which a query tile meets the key tiles: ascending, from tile `first` on and around.
struct key_tiles {
  int count, first;

  __device__ int operator[](int i) const { return first + i < count ? first + i : first + i - count; }
  /// Whether tile i is the first of those below `first`.
  __device__ bool wraps_at(int i) const { return first > 0 && i == count - first; }
};

/// `keys_before`: begins so many keys before the queries; from the first key where negative.
template <class Shape>
__device__ inline key_tiles key_tiles_of(const view& v, int first_query, int keys_before) {
  const auto count = static_cast<int>((v.key_rows + Shape::keys_per_tile - 1) / Shape::keys_per_tile);
  const int first = keys_before < 0 ? 0 : max(first_query - keys_before, 0) / Shape::keys_per_tile;
  return {count, min(first, count - 1)};
}

/// Likewise of tiles that hold the boxes of kept blocks, two each.
struct kept_tiles {
  int count;
  static constexpr int first = 0;

  __device__ int operator[](int i) const { return i; }
  __device__ bool wraps_at(int) const { return false; }
};

/// The tiles that the query tile of a head meets.
template <class Shape>
__device__ inline auto tiles_of(const view& v, int head, int first_query, int keys_before) {
  if constexpr (Shape::meets_kept_blocks)
    return kept_tiles{(kept_boxes(v, head, first_query).count() + 1) / 2};
  else
    return key_tiles_of<Shape>(v, first_query, keys_before);
}

/// How many tiles are met a first time, to seed the lists: neighbors on both sides.
template <class Shape>
__device__ inline int seeding_tiles(const key_tiles& tiles) {
  constexpr int keys = 832;
  return min(keys / Shape::keys_per_tile, tiles.count);
}

/// The named barrier of a consumer warpgroup (0 is the block's own), and that of its turn.
__device__ constexpr int group_barrier(int group) { return 1 + group; }
__device__ constexpr int turn_barrier(int group) { return 8 + group; }

}  // namespace ablate::compression_attention::by_warpgroup
