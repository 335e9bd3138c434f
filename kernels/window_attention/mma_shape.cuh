// The shape of a block of the cores by mma.sync, and what it keeps in shared memory.
#pragma once

#include "kernels/common/mma.cuh"

namespace ablate::window_attention {

/// When tiles of keys and values are copied.
enum class copies_form {
  awaited,  ///< a tile's keys and values behind the tile before; all wait for them
  ahead     ///< the next tile's keys and values during the whole of this one, into a second buffer
};

constexpr int mma_threads = 128, mma_query_rows = 128;

/// The shape of a block, of which `Blocks` share a multiprocessor: tiles of `Keys`, a divisor of 128.
template <int Width, int Keys, copies_form Copies, int Blocks>
struct mma_shape {
  static constexpr int width = Width, keys = Keys, blocks = Blocks;
  static constexpr copies_form copies = Copies;
  static constexpr int buffers = Copies == copies_form::ahead ? 2 : 1;
  /// Wider queries leave no registers: their fragments are loaded again for each tile.
  static constexpr bool holds_queries = Width <= 64;
  using rows = mma::swizzled_rows<Width>;
  static constexpr unsigned tile_bytes = Keys * rows::row_bytes;
};

/// Queries, in the end outputs, and the tiles.
template <class Shape>
struct mma_memory {
  alignas(128) unsigned char queries[mma_query_rows * Shape::rows::row_bytes];
  alignas(128) unsigned char keys[Shape::buffers * Shape::tile_bytes];
  alignas(128) unsigned char values[Shape::buffers * Shape::tile_bytes];
  long long first_output, first_lse;     ///< where those of the first query go, elements
  float greatest_key[mma_threads / 32];  ///< squared norms, by warp
  /// The first rows of the window's tiles of keys, in the rows of all batches: behind the rest.
  __device__ int* tile_rows() { return reinterpret_cast<int*>(this + 1); }
  /// Of partial windows, behind these: how many tiles count, and the row where padding begins.
  struct kept_keys {
    int tiles, padding;
  };
  __device__ kept_keys& kept(int tiles_of_window) {
    return *reinterpret_cast<kept_keys*>(tile_rows() + tiles_of_window);
  }
};

}  // namespace ablate::window_attention
