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

template <class Shape>
__device__ inline query_tile tile_of(const view& v, long long index) {
  const int tiles = (v.window + Shape::query_rows - 1) / Shape::query_rows;
  query_tile t;
  t.first_block = static_cast<int>(index % tiles) * Shape::groups;
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
