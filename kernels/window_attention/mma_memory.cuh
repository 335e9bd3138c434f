// What a block of the core by mma.sync keeps in shared memory.
#pragma once

#include "kernels/attention_core/mma_config.h"
#include "kernels/common/mma.cuh"

namespace ablate::window_attention {

using namespace attention_core;

constexpr int mma_threads = 128, mma_query_rows = 128;

template <int Width>
using mma_rows = mma::swizzled_rows<Width>;

template <mma_block Block>
constexpr unsigned mma_tile_bytes = Block.keys* mma_rows<Block.width>::row_bytes;

/// Queries, in the end outputs, and two tiles: the next one's keys and values come during the whole of this
/// one.
template <mma_block Block>
struct mma_memory {
  alignas(128) unsigned char queries[mma_query_rows * mma_rows<Block.width>::row_bytes];
  alignas(128) unsigned char keys[2 * mma_tile_bytes<Block>];
  alignas(128) unsigned char values[2 * mma_tile_bytes<Block>];
  long long first_output, first_lse;     ///< where those of the first query go, elements
  float greatest_key[mma_threads / 32];  ///< squared norms, by warp
  /// The first rows of the window's tiles of keys, in the rows of all batches: after the rest.
  __device__ int* tile_rows() { return reinterpret_cast<int*>(this + 1); }
  /// Of partial windows, after these: how many tiles count, and the row where padding begins.
  struct kept_keys {
    int tiles, padding;
  };
  __device__ kept_keys& kept(int tiles_of_window) {
    return *reinterpret_cast<kept_keys*>(tile_rows() + tiles_of_window);
  }
};

}  // namespace ablate::window_attention
