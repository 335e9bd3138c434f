#include "harness/inputs/points/order.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/inputs/points/generators.h"
#include "tests/harness/inputs/points/cloud_helpers.h"

namespace ablate::order_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(Order, ShuffledAndMortonHoldTheSamePoints) {
  const auto natural = lidar_points(10000, 1, ray_order::ring_major);
  auto shuffled = natural, sorted = natural;
  shuffle_points(shuffled, 1);
  sort_points_by_morton_code(sorted, vehicle_box);
  EXPECT_NE(shuffled, natural);
  EXPECT_NE(sorted, natural);
  EXPECT_EQ(multiset_of(shuffled), multiset_of(natural));
  EXPECT_EQ(multiset_of(sorted), multiset_of(natural));
}

TEST(Order, ShuffleDependsOnTheSeedAndReachesEveryPermutation) {
  std::map<std::vector<float>, int> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    std::vector<float> xyz = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    shuffle_points(xyz, seed);
    ++seen[xyz];
  }
  ASSERT_EQ(seen.size(), 6u);
  for (const auto& [permutation, times] : seen) EXPECT_NEAR(times, 1000, 150);
}

TEST(Order, MortonWalksTheOctantsWithXFastest) {
  std::vector<float> xyz;
  for (int octant = 7; octant >= 0; --octant)
    for (int axis = 0; axis < 3; ++axis) xyz.push_back((octant >> axis & 1) != 0 ? 0.75f : 0.25f);
  sort_points_by_morton_code(xyz, unit_box);
  for (int octant = 0; octant < 8; ++octant)
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(xyz[octant * 3 + axis], (octant >> axis & 1) != 0 ? 0.75f : 0.25f) << octant;
}

TEST(Order, MortonTellsNeighborsApartAtTwentyOneBits) {
  const float cell = 0x1p-21f;
  std::vector<float> xyz = {3 * cell, 0, 0, 0, cell, 0, cell, 0, 0, 2 * cell, 0, 0};
  sort_points_by_morton_code(xyz, unit_box);
  EXPECT_EQ(xyz, (std::vector<float>{cell, 0, 0, 0, cell, 0, 2 * cell, 0, 0, 3 * cell, 0, 0}));
}

TEST(Order, MortonKeepsTheOrderOfPointsInOneCell) {
  std::vector<float> xyz;
  for (int i = 0; i < 1000; ++i)
    xyz.insert(xyz.end(), {0.5f + 0x1p-24f * static_cast<float>(i % 4), i % 2 ? 0.75f : 0.25f,
                           -static_cast<float>(i)});  // z below the box counts as on its face
  sort_points_by_morton_code(xyz, unit_box);
  for (int i = 0; i < 1000; ++i) {
    const int half = i / 500;
    EXPECT_EQ(xyz[3 * i + 1], half ? 0.75f : 0.25f);
    EXPECT_EQ(xyz[3 * i + 2], -static_cast<float>(2 * (i % 500) + half));
  }
}

TEST(Order, MortonPutsOutsidePointsAtTheFacesAndNonFiniteOnesLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> xyz = {nan, 0, 0, 0, -infinity, 0, 9, 9, 9, 0.5f, 0.5f, 0.5f, -9, -9, -9};
  sort_points_by_morton_code(xyz, unit_box);
  EXPECT_EQ(xyz[0], -9);
  EXPECT_EQ(xyz[3], 0.5f);
  EXPECT_EQ(xyz[6], 9);
  EXPECT_TRUE(std::isnan(xyz[9]));
  EXPECT_EQ(xyz[13], -infinity);
}

TEST(Order, NoPointsAndOnePointStayAsTheyAre) {
  std::vector<float> none, one = {1, 2, 3};
  shuffle_points(none, 1);
  sort_points_by_morton_code(none, unit_box);
  shuffle_points(one, 1);
  sort_points_by_morton_code(one, unit_box);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(one, (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace ablate::order_test
