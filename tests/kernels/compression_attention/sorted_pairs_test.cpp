// The index arithmetic of lists: pairs of a bitonic sort, and tiles that are computed again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "kernels/compression_attention/exchange_pairs.h"
#include "kernels/compression_attention/recomputed_tiles.h"

namespace ablate::compression_attention {
namespace {

/// What a step of sort_in_shared.cuh does to a row.
void exchange(std::vector<int>& row, int pairs, int far, int size) {
  for (int pair = 0; pair < pairs; ++pair) {
    const int first = first_of_pair(pair, far);
    int &a = row[static_cast<std::size_t>(first)], &b = row[static_cast<std::size_t>(first + far)];
    if ((a > b) != is_descending(first, size)) std::swap(a, b);
  }
}

TEST(SortedPairs, AStepMeetsEveryPlaceOnce) {
  for (const int pairs : {16, 32})
    for (int far = 1; far <= pairs; far *= 2) {
      std::set<int> places;
      for (int pair = 0; pair < pairs; ++pair) {
        const int first = first_of_pair(pair, far);
        EXPECT_EQ(first & far, 0);
        places.insert(first);
        places.insert(first + far);
      }
      EXPECT_EQ(places.size(), static_cast<std::size_t>(2 * pairs));
      EXPECT_EQ(*places.rbegin(), 2 * pairs - 1);
    }
}

TEST(SortedPairs, TheGreatestOfATileAndOfAListComeOutInOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> tile(64), list(32);
    for (int& x : tile) x = static_cast<int>(random() % 100);
    for (int& x : list) x = static_cast<int>(random() % 100);
    std::ranges::sort(list, std::greater<>());
    std::vector<int> all = tile;
    all.insert(all.end(), list.begin(), list.end());
    std::ranges::sort(all, std::greater<>());
    all.resize(32);

    for (int size = 2; size <= 32; size *= 2)
      for (int far = size / 2; far > 0; far /= 2) exchange(tile, 32, far, size);
    ASSERT_TRUE(std::is_sorted(tile.begin(), tile.begin() + 32, std::greater<>()));
    ASSERT_TRUE(std::is_sorted(tile.begin() + 32, tile.end()));
    for (std::size_t i = 0; i < 32; ++i) tile[i] = std::max(tile[i], tile[i + 32]);
    for (int far = 16; far > 0; far /= 2) exchange(tile, 16, far, all_ascending);
    for (std::size_t i = 0; i < 32; ++i) list[i] = std::max(list[i], tile[i]);
    for (int far = 16; far > 0; far /= 2) exchange(list, 16, far, all_descending);
    ASSERT_EQ(list, all);
  }
}

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
