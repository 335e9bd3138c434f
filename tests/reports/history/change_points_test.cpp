#include "reports/history/change_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ablate::history::change_points_test {
namespace {

/// `nights` medians around each level, with noise of `sigma` as a share.
std::vector<double> made_nights(const std::vector<std::pair<std::size_t, double>>& levels, double sigma,
                                std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> out;
  for (const auto& [nights, level] : levels)
    for (std::size_t i = 0; i < nights; ++i) {
      double noise = -6;  // twelve uniform ones are nearly normal
      for (int j = 0; j < 12; ++j) noise += static_cast<double>(random() >> 11) * 0x1p-53;
      out.push_back(level * std::exp(sigma * noise));
    }
  return out;
}

TEST(ChangePoints, NoiseAloneHasNone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_TRUE(change_points(made_nights({{60, 10}}, 0.01, seed)).empty()) << seed;
}

TEST(ChangePoints, OneStepIsFoundWhereItIs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto found = change_points(made_nights({{30, 10}, {20, 10.5}}, 0.005, seed));
    ASSERT_EQ(found.size(), 1u) << seed;
    EXPECT_NEAR(static_cast<double>(found[0].index), 30, 1) << seed;
    EXPECT_NEAR(found[0].ratio, 1.05, 0.01) << seed;
    EXPECT_LE(found[0].p, 0.001) << seed;
  }
}

TEST(ChangePoints, TwoStepsAreFoundAlsoWhenTheSecondTakesTheFirstBack) {
  const auto found = change_points(made_nights({{25, 10}, {25, 10.5}, {25, 10}}, 0.005, 1));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NEAR(static_cast<double>(found[0].index), 25, 1);
  EXPECT_NEAR(static_cast<double>(found[1].index), 50, 1);
  EXPECT_GT(found[0].ratio, 1.04);
  EXPECT_LT(found[1].ratio, 0.96);
}

TEST(ChangePoints, AStepBelowTheLeastEffectIsNone) {
  const auto nights = made_nights({{40, 10}, {40, 10.1}}, 0.001, 1);
  EXPECT_TRUE(change_points(nights).empty());
  change_options any;
  any.least_effect = 0.005;
  EXPECT_EQ(change_points(nights, any).size(), 1u);
}

TEST(ChangePoints, ADriftIsChangesThatAllGoOneWay) {
  std::vector<double> nights = made_nights({{100, 10}}, 0.002, 1);
  for (std::size_t i = 0; i < nights.size(); ++i) nights[i] *= 1 + 0.001 * static_cast<double>(i);
  const auto found = change_points(nights);
  ASSERT_FALSE(found.empty());
  for (const change_point& c : found) EXPECT_GT(c.ratio, 1.015);
}

TEST(ChangePoints, OneOutlierIsNone) {
  for (const std::size_t at : {0u, 20u, 38u, 39u}) {
    std::vector<double> nights = made_nights({{40, 10}}, 0.005, 1);
    nights[at] *= 3;
    EXPECT_TRUE(change_points(nights).empty()) << at;
  }
}

TEST(ChangePoints, FewOrEqualNightsHaveNone) {
  EXPECT_TRUE(change_points({}).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1}).empty());
  EXPECT_TRUE(change_points(std::vector<double>{1, 1, 1, 2, 2, 2}).empty());
  EXPECT_TRUE(change_points(std::vector<double>(50, 3.5)).empty());
}

TEST(ChangePoints, AStepBetweenEqualNightsIsFound) {
  std::vector<double> nights(20, 10);
  nights.insert(nights.end(), 20, 11);
  const auto found = change_points(nights);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].index, 20u);
  EXPECT_DOUBLE_EQ(found[0].ratio, 1.1);
}

TEST(ChangePoints, TheSameNightsHaveTheSameChanges) {
  const auto nights = made_nights({{15, 10}, {15, 10.3}}, 0.01, 3);
  const auto once = change_points(nights), again = change_points(nights);
  ASSERT_EQ(once.size(), again.size());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].p, again[i].p);
}

}  // namespace
}  // namespace ablate::history::change_points_test
