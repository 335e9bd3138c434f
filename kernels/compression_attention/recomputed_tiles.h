#pragma once

#include <cstdint>
#if !defined(__CUDA_ARCH__)
#include <bit>
#endif

#include "kernels/common/on_both.h"
#include "kernels/compression_attention/compression_attention.h"

namespace ablate::compression_attention {

/// The greatest scores of rows in tiles of keys: [head][tile][row], rows up to a whole tile of queries.
struct maxima_shape {
  std::int64_t tiles, rows;

  explicit ABLATE_ON_BOTH maxima_shape(std::int64_t of_rows)
      : tiles((of_rows + tile_keys - 1) / tile_keys),
        rows((of_rows + tile_queries - 1) / tile_queries * tile_queries) {}
  ABLATE_ON_BOTH std::int64_t place(std::int64_t head, std::int64_t tile, std::int64_t row) const {
    return (head * tiles + tile) * rows + row;
  }
};

/// Words of a bit for each tile.
ABLATE_ON_BOTH constexpr int words_of(int tiles) { return (tiles + 31) / 32; }

/// The first tile after `tile` whose bit is set, or `tiles`; `word_at(i)` is word i of the bits, which
/// are zero past the last tile.
template <class WordAt>
ABLATE_ON_BOTH int next_tile(int tile, int tiles, const WordAt& word_at) {
  int word = (tile + 1) / 32;
  if (word >= words_of(tiles)) return tiles;
  unsigned left = word_at(word) & (~0u << (tile + 1) % 32);
  while (left == 0) {
    if (++word == words_of(tiles)) return tiles;
    left = word_at(word);
  }
#if defined(__CUDA_ARCH__)
  return 32 * word + __ffs(static_cast<int>(left)) - 1;
#else
  return 32 * word + std::countr_zero(left);
#endif
}

}  // namespace ablate::compression_attention
