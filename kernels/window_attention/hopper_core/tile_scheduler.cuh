// Which query tiles a block processes, and the list of those to redo.
#pragma once

#include "kernels/window_attention/redo_list.cuh"
#include "kernels/window_attention/view.cuh"

namespace ablate::window_attention {

/// One query tile of one head of one window.
struct query_tile {
  int batch, head;
  long long window;
  int first_block;  ///< in blocks of 64 rows, within the window
};

template <block_shape Block>
__device__ inline query_tile tile_of(const view& v, long long index) {
  constexpr int rows = Block.query_rows();
  const int tiles = (v.window + rows - 1) / rows;
  query_tile t;
  t.first_block = static_cast<int>(index % tiles) * Block.groups;
  index /= tiles;
  t.head = static_cast<int>(index % v.heads);
  index /= v.heads;
  t.window = index % v.windows;
  t.batch = static_cast<int>(index / v.windows);
  return t;
}

/// Puts the tile of `Rows` queries that contains this token of the window on the list, by its tile_of index.
template <int Rows>
__device__ inline void list_again(const view& v, const query_tile& t, int token) {
  const int tiles = (v.window + Rows - 1) / Rows;
  redo_list(v).add(((t.batch * v.windows + t.window) * v.heads + t.head) * tiles + token / Rows);
}

/// The inverse of tile_of.
template <block_shape Block>
__device__ inline long long index_of(const view& v, const query_tile& t) {
  const int tiles = (v.window + Block.query_rows() - 1) / Block.query_rows();
  return ((t.batch * v.windows + t.window) * v.heads + t.head) * tiles + t.first_block / Block.groups;
}

/// Which of its tiles a block processes; these begin at its own number, a grid apart: all of them.
struct all_tiles {
  __device__ static bool has(long long) { return true; }
};

/// Some of 64 sets of a block's tiles: its n-th tile is in set n % 64.
struct tile_sets {
  unsigned long long sets;

  /// How many of the block's tiles come before this one.
  __device__ static unsigned turn_of(long long tile) {
    return static_cast<unsigned>(tile - blockIdx.x) / gridDim.x;
  }
  __device__ static unsigned long long set_of(long long tile) { return 1ull << turn_of(tile) % 64; }
  __device__ bool has(long long tile) const { return (sets & set_of(tile)) != 0; }
};

/// The number of query tiles to process, and which one is i-th.
template <bool FromList>
__device__ inline long long tile_count(const view& v) {
  return FromList ? static_cast<long long>(redo_list(v).count()) : v.query_tiles;
}
template <bool FromList>
__device__ inline long long tile_index(const view& v, long long i) {
  return FromList ? static_cast<long long>(redo_list(v).tile(i)) : i;
}

}  // namespace ablate::window_attention
