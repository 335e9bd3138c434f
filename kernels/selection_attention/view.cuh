#pragma once

#include <cuda_bf16.h>

#include "kernels/common/launch.cuh"
#include "kernels/common/switches.h"
#include "kernels/selection_attention/selection_attention.h"

namespace ablate::selection_attention {

/// Bytes of a row, and of a tile of 16 rows, in Q, K, V and O.
constexpr unsigned row_bytes = 2 * width, tile_bytes = tile * row_bytes;

/// The problem as passed to a kernel.
struct view {
  const unsigned char *q, *k, *v;
  const std::int32_t* table;
  const unsigned char* compressed;
  const float2* gates;
  unsigned char *out, *ungated;
  float* lse;
  long long tokens;
  int heads, heads_of_gates, selected, blocks;
  int tiles;                                      ///< of a head
  int forced_blocks, lowest_entry, dense_blocks;  ///< see problem
  int log2_in_block;                              ///< of the tiles of a block
  bool by_head;      ///< a head's tiles follow each other on the grid, not a tile's heads
  float scale_log2;  ///< log2(e) / √64: powers of 2 instead of e's

  view(const problem&, bool by_head);

  /// Blocks of that many warps; each attends with 16 queries of one head on its own.
  unsigned grid(int warps) const { return blocks_for(tiles, warps) * static_cast<unsigned>(heads); }
};

/// Where a warp is.
struct work_item {
  int head, tile;  ///< of queries
  __device__ work_item(int head, int tile) : head(head), tile(tile) {}
  __device__ explicit work_item(const view& v) {
    const int warps = static_cast<int>(blockDim.x) / 32;
    const int groups = (v.tiles + warps - 1) / warps, index = static_cast<int>(blockIdx.x);
    head = v.by_head ? index / groups : index % v.heads;
    tile = (v.by_head ? index % groups : index / v.heads) * warps + static_cast<int>(threadIdx.x) / 32;
  }
  /// Whether its queries attend here.
  __device__ bool attends(const view& v) const {
    return tile < v.tiles && (tile >> v.log2_in_block) >= v.dense_blocks;
  }
};

/// A warp's key tiles: those that are forced, then in the order of its list.
class key_tiles {
 public:
  /// `entries`: of this warp, room for max_entries. All lanes call it.
  __device__ key_tiles(const view& v, const work_item& at, int* entries)
      : entries_(entries), log2_in_block_(v.log2_in_block) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const std::int32_t* const list =
        v.table + (static_cast<long long>(at.head) * v.blocks + (at.tile >> v.log2_in_block)) * v.selected;
#pragma unroll 1
    for (int block = lane; block < v.forced_blocks; block += 32) entries_[block] = block << v.log2_in_block;
    int found = v.forced_blocks;
    for (int first = 0; first < v.selected; first += 32) {
      const int block = first + lane < v.selected ? list[first + lane] : -1;
      const bool is_there = block >= v.lowest_entry && block < v.blocks;
      const unsigned all = __ballot_sync(~0u, is_there);
      if (is_there) entries_[found + __popc(all & ((1u << lane) - 1))] = block << v.log2_in_block;
      found += __popc(all);
    }
    count_ = found << v.log2_in_block;
    __syncwarp();
  }
  /// The `count` tiles that another key_tiles of this block left in `entries`, after a barrier.
  __device__ key_tiles(const view& v, int* entries, int count)
      : entries_(entries), log2_in_block_(v.log2_in_block), count_(count) {}
  __device__ int count() const { return count_; }
  /// The number of the i-th tile in its head.
  __device__ unsigned operator[](int i) const {
    return static_cast<unsigned>(entries_[i >> log2_in_block_] + (i & ((1 << log2_in_block_) - 1)));
  }

 private:
  int* entries_;
  int log2_in_block_, count_;
};

/// The direct form where blocks have 16 tokens or fewer and special tokens follow them, gated in its
/// epilogue (spans.cu).
void attend_in_layout(launcher&, const view&, const block_layout&);

/// The gate by a kernel of its own, after one that left O (gate.cu).
void apply_gates(launcher&, const view&);

}  // namespace ablate::selection_attention
