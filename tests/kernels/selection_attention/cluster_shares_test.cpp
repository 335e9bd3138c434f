// Who brings a key block to which thread blocks of a cluster.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "kernels/selection_attention/cluster_shares.h"

namespace ablate::selection_attention {
namespace {

TEST(ClusterShares, WhoseListNamesABlockTakesIt) {
  const cluster_shares two{2, 8};
  EXPECT_EQ(two.takers(0x0001), 1u);
  EXPECT_EQ(two.takers(0x0080), 1u);
  EXPECT_EQ(two.takers(0x0100), 2u);
  EXPECT_EQ(two.takers(0x8001), 3u);
  // Forced blocks are of all lists, those of no cluster as well.
  EXPECT_EQ(two.takers(~0u), 3u);
  EXPECT_EQ((cluster_shares{4, 8}.takers(~0u)), 15u);
  EXPECT_EQ((cluster_shares{4, 8}.takers(0x01000100)), 10u);
  EXPECT_EQ((cluster_shares{1, 8}.takers(0x10)), 1u);
  EXPECT_EQ((cluster_shares{1, 32}.takers(0x80000000)), 1u);
}

// What each block expects of a stage is what all of them together bring to it.
TEST(ClusterShares, EveryTakerReceivesEachTileOnce) {
  std::mt19937 random(3);
  for (const int blocks : {1, 2, 4}) {
    const cluster_shares shares{blocks, 8};
    std::array<int, 4> expected{}, received{}, brought{};
    for (int tile = 0; tile < 4000; ++tile) {
      unsigned lists = 0;
      while (lists == 0)
        lists = static_cast<unsigned>(random() & random() & random()) &
                (blocks == 4 ? ~0u : (1u << 8 * blocks) - 1);
      const unsigned takers = shares.takers(lists);
      int bringers = 0;
      for (int rank = 0; rank < blocks; ++rank) {
        const auto r = static_cast<std::size_t>(rank);
        expected[r] += static_cast<int>(takers >> rank & 1);
        if (shares.bringer(takers, tile) != rank) continue;
        ++bringers;
        ++brought[r];
        EXPECT_TRUE((takers >> rank & 1) != 0);
        for (int to = 0; to < blocks; ++to)
          received[static_cast<std::size_t>(to)] += static_cast<int>(takers >> to & 1);
      }
      EXPECT_EQ(bringers, 1);
    }
    EXPECT_EQ(received, expected);
    for (int rank = 1; rank < blocks; ++rank)
      EXPECT_NEAR(brought[static_cast<std::size_t>(rank)], 4000 / blocks, 200) << blocks;
  }
}

}  // namespace
}  // namespace ablate::selection_attention
