#include "kernels/voxelize/tiles.h"

#include <gtest/gtest.h>

#include <vector>

namespace ablate::voxelize::tiles_test {
namespace {

// Of grids that fill no tile, less than a round of the blocks, whole rounds, and no whole number of vectors.
TEST(VoxelizeTiles, HaveEachCellOnceInTheTurnOfItsBlock) {
  for (const int cells : {1, 4095, 4096, 4097, 5 * 4096, 8 * 4096, 65 * 65 * 65, 96 * 96 * 96}) {
    std::vector<int> seen(static_cast<std::size_t>(cells));
    for (int block = 0; block < own_tiles::blocks; ++block) {
      const own_tiles tiles{cells, block};
      for (int turn = 0; turn < tiles.turns(); ++turn) {
        ASSERT_GT(tiles.cells_in(turn), 0) << cells << ", block " << block << ", turn " << turn;
        ASSERT_EQ(tiles.first_cell(turn) % 4, 0);
        for (int place = 0; place < tiles.cells_in(turn); ++place) {
          const int cell = static_cast<int>(tiles.first_cell(turn)) + place;
          ASSERT_LT(cell, cells);
          ++seen[static_cast<std::size_t>(cell)];
          ASSERT_EQ(own_tiles::block_of(cell), block);
          ASSERT_EQ(own_tiles::turn_of(cell), turn);
          ASSERT_EQ(own_tiles::place_of(cell), place);
        }
      }
    }
    EXPECT_EQ(seen, std::vector<int>(static_cast<std::size_t>(cells), 1)) << cells;
  }
}

}  // namespace
}  // namespace ablate::voxelize::tiles_test
