#include "harness/inputs/points/turned_copies.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/inputs/points/generators.h"

namespace ablate::turned_copies_test {
namespace {

TEST(TurnedCopies, BeginWithTheCloudItself) {
  const auto cloud = uniform_points(100, {{0, 0, 0}, {1, 1, 1}}, 1);
  EXPECT_EQ(turned_copies(cloud, 1, {0, 0}), cloud);
  const auto three = turned_copies(cloud, 3, {0.5, 0.5});
  ASSERT_EQ(three.size(), 3 * cloud.size());
  EXPECT_TRUE(std::equal(cloud.begin(), cloud.end(), three.begin()));
}

TEST(TurnedCopies, TurnByTheAngleOfTheTriangle345AboutTheMiddle) {
  const auto copies = turned_copies({3, 1, 7}, 3, {2, 1});
  const std::vector<float> expected = {3, 1, 7, 2.8f, 1.6f, 7, 2.28f, 1.96f, 7};
  ASSERT_EQ(copies.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(copies[i], expected[i], 1e-6);
}

TEST(TurnedCopies, KeepHeightAndDistanceFromTheMiddle) {
  const auto copies = turned_copies({30, 40, -1.5f}, 1000, {0, 0});
  for (std::size_t i = 0; i < copies.size(); i += 3) {
    EXPECT_NEAR(std::hypot(copies[i], copies[i + 1]), 50, 1e-4);
    EXPECT_EQ(copies[i + 2], -1.5f);
  }
}

TEST(TurnedCopies, OfNothingAreNothing) { EXPECT_TRUE(turned_copies({}, 5, {0, 0}).empty()); }

}  // namespace
}  // namespace ablate::turned_copies_test
