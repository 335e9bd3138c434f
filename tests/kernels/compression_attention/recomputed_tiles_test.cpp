// The index arithmetic of lists: tiles that are computed again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/compression_attention/recomputed_tiles.h"

namespace ablate::compression_attention {
namespace {

TEST(RecomputedTiles, NeededOnesFollowEachOther) {
  std::mt19937 random(11);
  for (const int tiles : {1, 31, 32, 33, 64, 1008}) {
    std::vector<unsigned> words(static_cast<std::size_t>(words_of(tiles)));
    for (const unsigned one_in : {1u, 3u, 50u}) {
      std::vector<int> needed, found;
      std::ranges::fill(words, 0u);
      for (int tile = 0; tile < tiles; ++tile)
        if (random() % one_in == 0) {
          needed.push_back(tile);
          words[static_cast<std::size_t>(tile) / 32] |= 1u << tile % 32;
        }
      const auto word_at = [&](int i) { return words.at(static_cast<std::size_t>(i)); };
      for (int tile = next_tile(-1, tiles, word_at); tile < tiles; tile = next_tile(tile, tiles, word_at))
        found.push_back(tile);
      EXPECT_EQ(found, needed) << tiles << ", " << one_in;
    }
  }
}

TEST(RecomputedTiles, MaximaHaveAPlaceEach) {
  const maxima_shape shape(200);
  EXPECT_EQ(shape.tiles, 4);
  EXPECT_EQ(shape.rows, 256);
  EXPECT_EQ(shape.place(0, 0, 255) + 1, shape.place(0, 1, 0));
  EXPECT_EQ(shape.place(0, 3, 255) + 1, shape.place(1, 0, 0));
  // Beyond 2^32 at 1024 images.
  EXPECT_GT(maxima_shape(std::int64_t{1} << 18).place(15, 4095, 0), std::int64_t{1} << 32);
}

TEST(RecomputedTiles, ScratchHoldsTheMaximaOfTheLongestInputs) {
  for (const std::int64_t rows : {63, 126, 64512, 1 << 18}) {
    problem p;
    p.rows = rows;
    p.heads = 16;
    EXPECT_GE(scratch_bytes(p), static_cast<std::size_t>(maxima_shape(rows).place(16, 0, 0)) * 4) << rows;
  }
}

}  // namespace
}  // namespace ablate::compression_attention
