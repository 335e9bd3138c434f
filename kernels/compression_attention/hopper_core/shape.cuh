// The composition of a block of compression attention on Hopper: warpgroups, tiles, shared memory.
#pragma once

#include <cuda.h>

#include "kernels/common/hopper/pipeline.cuh"
#include "kernels/compression_attention/view.cuh"
#include "kernels/window_attention/hopper_core/products.cuh"

namespace ablate::compression_attention::by_warpgroup {

using window_attention::rows_per_group;

/// Three groups of 64 queries. With tiles of 96 keys, scores and the lists' bookkeeping spilled registers.
constexpr int groups = 3, keys_per_tile = 64, stages = 4;
constexpr int producer_registers = 32, consumer_registers = 160;
constexpr int threads = 128 * (1 + groups), queries_per_tile = rows_per_group * groups;
constexpr unsigned group_bytes = rows_per_group * row_bytes, tile_bytes = keys_per_tile * row_bytes;

/// Rows of q, k, v and out in shared memory, for the products and the staged outputs.
struct row_shape {
  static constexpr int width = compression_attention::width, span_bytes = row_bytes;
  using swizzle = hopper::swizzle<span_bytes>;
};

template <class Chooser>
struct block_memory {
  alignas(1024) unsigned char queries[groups][group_bytes];  ///< and outputs, once scores are computed
  alignas(1024) unsigned char keys[stages][tile_bytes];
  alignas(1024) unsigned char values[stages][tile_bytes];
  typename Chooser::memory of_warp[groups][4];
  hopper::barrier queries_full[groups], queries_empty[groups];
  hopper::barrier keys_full[stages], keys_empty[stages];
  hopper::barrier values_full[stages], values_empty[stages];
};

/// Tensor maps: boxes of 64 rows.
struct tensor_maps {
  CUtensorMap queries, keys, values, outputs;
};

/// The query tiles of all heads, those of a head one after the other, so that its keys and values come from
/// L2; blocks take them in turn.
class query_tiles {
 public:
  __host__ __device__ explicit query_tiles(const view& v)
      : of_head_((v.rows + queries_per_tile - 1) / queries_per_tile), all_(of_head_ * v.heads) {}
  __host__ __device__ long long count() const { return all_; }
  __device__ int head(long long tile) const { return static_cast<int>(tile / of_head_); }
  __device__ int first_row(long long tile) const {
    return static_cast<int>(tile % of_head_) * queries_per_tile;
  }

 private:
  long long of_head_, all_;
};

/// The order in which a query tile meets the key tiles: ascending, from `first` on and around.
struct key_tiles {
  int count, first;

  /// `near_first`: from 384 keys before the queries on. Images that see the same places follow each other.
  __device__ key_tiles(const view& v, int first_query, bool near_first)
      : count(static_cast<int>((v.rows + keys_per_tile - 1) / keys_per_tile)),
        first(near_first ? max(first_query - 384, 0) / keys_per_tile : 0) {}
  __device__ int operator[](int i) const { return first + i < count ? first + i : first + i - count; }
};

/// The named barrier of a consumer warpgroup (0 is the block's own), and that of its turn.
__device__ constexpr int group_barrier(int group) { return 1 + group; }
__device__ constexpr int turn_barrier(int group) { return 8 + group; }

}  // namespace ablate::compression_attention::by_warpgroup
