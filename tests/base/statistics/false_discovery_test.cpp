#include "base/statistics/false_discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace ablate::gate::false_discovery_test {
namespace {

TEST(FalseDiscovery, AdjustsFromTheGreatestDown) {
  const auto adjusted = false_discovery_adjusted({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.02, 0.04, 0.04, 0.02};
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15) << i;
}

TEST(FalseDiscovery, OneAloneStaysAndNoneGoesBeyondOne) {
  EXPECT_EQ(false_discovery_adjusted({0.02}), std::vector<double>{0.02});
  EXPECT_EQ(false_discovery_adjusted({0.6, 1}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(false_discovery_adjusted({}).empty());
}

TEST(FalseDiscovery, WhatIsNoProbabilityIsRefused) {
  EXPECT_THROW(false_discovery_adjusted({0.5, 1.5}), std::invalid_argument);
  EXPECT_THROW(false_discovery_adjusted({std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
}

TEST(FalseDiscovery, TheShareOfFalseOnesStaysBelowTheLevel) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise;
  constexpr int trials = 2000, comparisons = 50, nulls = 40;
  constexpr double level = 0.05;
  double adjusted_share = 0, plain_share = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> p;
    for (int i = 0; i < comparisons; ++i)
      p.push_back(std::erfc((noise(random) + (i < nulls ? 0 : 3)) / std::sqrt(2.0)) / 2);
    const auto share = [&](const std::vector<double>& of) {
      const auto is_rejected = [](double value) { return value <= level; };
      const auto all = std::count_if(of.begin(), of.end(), is_rejected),
                 wrong = std::count_if(of.begin(), of.begin() + nulls, is_rejected);
      return all == 0 ? 0.0 : static_cast<double>(wrong) / static_cast<double>(all);
    };
    adjusted_share += share(false_discovery_adjusted(p)) / trials;
    plain_share += share(p) / trials;
  }
  // Of independent comparisons the share is the level times that of the nulls among all.
  EXPECT_NEAR(adjusted_share, level * nulls / comparisons, 0.01);
  EXPECT_GT(plain_share, 0.1);
}

}  // namespace
}  // namespace ablate::gate::false_discovery_test
