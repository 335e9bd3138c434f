#pragma once

#include <cstdint>

#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Queries of a tile at 16 elements a head: of four warpgroups, or of three.
constexpr int whole_tile_rows = 256, small_tile_rows = 192;

/// Multiprocessors go through query tiles in rounds, which take as long as their tiles have queries. Whether
/// the last round of whole tiles is so empty that more rounds of small ones take less.
inline bool small_tiles_take_less(const problem& p, int multiprocessors) {
  const auto rows_of_rounds = [&](int tile_rows) {
    const std::int64_t tiles = p.batches * p.windows() * p.heads * ((p.window + tile_rows - 1) / tile_rows);
    return (tiles + multiprocessors - 1) / multiprocessors * tile_rows;
  };
  return rows_of_rounds(small_tile_rows) < rows_of_rounds(whole_tile_rows);
}

}  // namespace ablate::window_attention
