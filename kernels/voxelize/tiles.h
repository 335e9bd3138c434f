#pragma once

#include <cstdint>

#include "kernels/common/on_both.h"

namespace ablate::voxelize {

/// The tiles of one block among `tile_blocks` that share a cloud's grid: every eighth, so that a crowded part
/// of the scene is everybody's. A block's `turn`-th tile is its own turn's among those of all.
struct own_tiles {
  static constexpr int blocks = 8, cells_of_tile = 4096;  ///< 16 KiB of counters

  std::int64_t cells;  ///< of the cloud
  int block;           ///< below `blocks`

  ABLATE_ON_BOTH static int turn_of(int cell) { return cell / (cells_of_tile * blocks); }
  ABLATE_ON_BOTH static int block_of(int cell) { return cell / cells_of_tile % blocks; }
  ABLATE_ON_BOTH static int place_of(int cell) { return cell % cells_of_tile; }

  ABLATE_ON_BOTH int turns() const {
    const auto tiles = static_cast<int>((cells + cells_of_tile - 1) / cells_of_tile);
    return (tiles - block + blocks - 1) / blocks;
  }
  ABLATE_ON_BOTH std::int64_t first_cell(int turn) const {
    return (static_cast<std::int64_t>(turn) * blocks + block) * cells_of_tile;
  }
  /// All but the cloud's last tile are whole.
  ABLATE_ON_BOTH int cells_in(int turn) const {
    const std::int64_t left = cells - first_cell(turn);
    return left < cells_of_tile ? static_cast<int>(left) : cells_of_tile;
  }
};

}  // namespace ablate::voxelize
