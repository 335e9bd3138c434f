#pragma once

#include <cstdint>

#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Queries of a tile at 16 elements a head: of four warpgroups, or of three.
constexpr int whole_tile_rows = 256, small_tile_rows = 192;

/// What three warpgroups hide less of than four: 74.3 µs of two rounds of small tiles where two of whole ones
/// take 90.1 (results/h200/backbone, per_layer_best+attention=hopper_wave_fit, nuScenes and 19.3 M
/// parameters).
constexpr double measured_small_row_time = 1.10;

/// Multiprocessors go through query tiles in rounds, which take as long as their tiles have queries. Whether
/// the last round of whole tiles is so empty that more rounds of small ones take less. `small_row_time`: how
/// many times as long a query of a small tile takes as one of a whole tile.
inline bool small_tiles_take_less(const problem& p, int multiprocessors, double small_row_time = 1) {
  const auto rows_of_rounds = [&](int tile_rows) {
    const std::int64_t tiles = p.batches * p.windows() * p.heads * ((p.window + tile_rows - 1) / tile_rows);
    return (tiles + multiprocessors - 1) / multiprocessors * tile_rows;
  };
  return small_row_time * static_cast<double>(rows_of_rounds(small_tile_rows)) <
         static_cast<double>(rows_of_rounds(whole_tile_rows));
}

}  // namespace ablate::window_attention
