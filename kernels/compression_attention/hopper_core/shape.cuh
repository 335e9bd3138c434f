// The shared memory of a block of compression attention on Hopper, its tensor maps, and which tiles it takes.
#pragma once

#include <cuda.h>

#include <type_traits>

#include "kernels/attention_core/products.cuh"
#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/compression_attention/key_boxes.cuh"

namespace ablate::compression_attention::by_warpgroup {

using namespace attention_core;

constexpr unsigned group_bytes = rows_per_group * row_bytes;

/// Two of the key blocks that a query block keeps are a tile, a box each; else a tile is one box.
template <forward_config C>
constexpr int keys_per_box = C.kept_blocks ? kept_blocks::keys : C.block.keys;

template <forward_config C, class Chooser>
struct block_memory {
  alignas(
      1024) unsigned char queries[C.block.groups][group_bytes];  ///< and outputs, once scores are computed
  alignas(1024) unsigned char keys[C.block.stages][C.key_tile_bytes()];
  alignas(1024) unsigned char values[C.block.stages][C.block.tile_bytes()];
  typename Chooser::memory of_warp[C.block.groups][4];
  hopper::barrier queries_full[C.block.groups], queries_empty[C.block.groups];
  hopper::barrier keys_full[C.block.stages], keys_empty[C.block.stages];
  hopper::barrier values_full[C.block.stages], values_empty[C.block.stages];
};

/// How many keys of a tile's two boxes exist; of int8, what their products with the queries are worth.
struct keys_there {
  int of_first, of_second;
  float scale_of_first, scale_of_second;
};

template <forward_config C, class Chooser>
struct kept_memory : block_memory<C, Chooser> {
  keys_there there[C.block.stages];  ///< written by the producer ahead of a tile's keys
};

template <forward_config C, class Chooser>
using memory_of = std::conditional_t<C.kept_blocks, kept_memory<C, Chooser>, block_memory<C, Chooser>>;

/// Tensor maps: boxes of 64 rows of queries and outputs, and of a box of keys and values.
struct tensor_maps {
  CUtensorMap queries, keys, values, outputs;
};

/// The query tiles of all heads, those of a head one after the other, so that its keys and values come from
/// L2; blocks take them in turn.
template <forward_config C>
class query_tiles {
 public:
  __host__ __device__ explicit query_tiles(const view& v)
      : of_head_((v.chunk_rows + C.block.query_rows() - 1) / C.block.query_rows()),
        all_(of_head_ * v.heads),
        first_(v.first_row) {}
  __host__ __device__ long long count() const { return all_; }
  __device__ int head(long long tile) const { return static_cast<int>(tile / of_head_); }
  __device__ int first_row(long long tile) const {
    return static_cast<int>(first_ + tile % of_head_ * C.block.query_rows());
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
template <forward_config C>
__device__ inline key_tiles key_tiles_of(const view& v, int first_query, int keys_before) {
  const auto count = static_cast<int>((v.key_rows + C.block.keys - 1) / C.block.keys);
  const int first = keys_before < 0 ? 0 : max(first_query - keys_before, 0) / C.block.keys;
  return {count, min(first, count - 1)};
}

/// The same for tiles with the boxes of kept blocks, two each.
struct kept_tiles {
  int count;
  static constexpr int first = 0;

  __device__ int operator[](int i) const { return i; }
  __device__ bool wraps_at(int) const { return false; }
};

/// The tiles that the query tile of a head meets.
template <forward_config C>
__device__ inline auto tiles_of(const view& v, int head, int first_query, int keys_before) {
  if constexpr (C.kept_blocks)
    return kept_tiles{(kept_boxes(v, head, first_query).count() + 1) / 2};
  else
    return key_tiles_of<C>(v, first_query, keys_before);
}

/// How many tiles are met a first time, to seed the lists: neighbors on both sides.
template <forward_config C>
__device__ inline int seeding_tiles(const key_tiles& tiles) {
  constexpr int keys = 832;
  return min(keys / C.block.keys, tiles.count);
}

}  // namespace ablate::compression_attention::by_warpgroup
