// What host and kernels compute alike of a block of rows.
#include "kernels/pool/sub_buckets.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace ablate::pool {
namespace {

TEST(SubBuckets, CountClustersBlockByBlock) {
  EXPECT_EQ(clusters_of(0, 2), 0u);
  EXPECT_EQ(clusters_of(1, 8), 1u);
  EXPECT_EQ(clusters_of(1024, 3), 342u);
  EXPECT_EQ(clusters_of(1025, 3), 343u);
  EXPECT_EQ(clusters_of(2048, 3), 684u);
  EXPECT_EQ(clusters_of(124087, 2), 62044u);
  for (const int ratio : {2, 3, 4, 8})
    for (unsigned points = 0; points < 5000; points += 7) {
      unsigned expected = 0;
      for (unsigned left = points; left > 0; left -= std::min(left, 1024u))
        expected += (std::min(left, 1024u) + static_cast<unsigned>(ratio) - 1) / static_cast<unsigned>(ratio);
      EXPECT_EQ(clusters_of(points, ratio), expected) << points << ", " << ratio;
    }
}

TEST(SubBuckets, TurnWithoutStretching) {
  bool differs = false;
  for (int block = 0; block < 50; ++block) {
    const rotation turn(7, 3, block), other(7, 3, block + 1);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        double dot = 0;
        for (int k = 0; k < 3; ++k)
          dot += static_cast<double>(turn.row[a][k]) * static_cast<double>(turn.row[b][k]);
        EXPECT_NEAR(dot, a == b ? 1 : 0, 1e-6);
        differs = differs || turn.row[a][b] != other.row[a][b];
      }
    const float x[3] = {1, 0, 0};
    EXPECT_EQ(turn.turned(1, x), turn.row[1][0]);
  }
  EXPECT_TRUE(differs);
}

TEST(SubBuckets, LevelsCoverTheBox) {
  const axis_levels levels(-3, 5);
  EXPECT_EQ(levels.of(-3), 0u);
  EXPECT_EQ(levels.of(5), 65534u);
  EXPECT_EQ(levels.of(1), 32767u);
  EXPECT_EQ(axis_levels(2, 2).of(2), 0u);
}

/// Bit by bit: bit 3k of the Morton code is bit k of x, 3k + 1 of y, 3k + 2 of z.
TEST(SubBuckets, CellsAreTheLeadingBitsOfTheMortonCodeButOne) {
  std::uint64_t state = 1;
  for (int i = 0; i < 1000; ++i) {
    state = psh_bucket::mixed(state);
    const std::array<std::uint16_t, 3> voxel = {static_cast<std::uint16_t>(state),
                                                static_cast<std::uint16_t>(state >> 16),
                                                static_cast<std::uint16_t>(state >> 32)};
    unsigned expected = 0;
    for (int bit = 46; bit > 46 - cell_bits; --bit)
      expected = expected << 1 | (voxel[static_cast<std::size_t>(bit % 3)] >> bit / 3 & 1u);
    EXPECT_EQ(cell_of(voxel[0], voxel[1], voxel[2]), expected);
    EXPECT_LT(expected, static_cast<unsigned>(cell_count));
  }
}

}  // namespace
}  // namespace ablate::pool
