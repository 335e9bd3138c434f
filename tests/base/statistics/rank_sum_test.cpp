#include "base/statistics/rank_sum.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace ablate::gate::rank_sum_test {
namespace {

TEST(RankSum, SmallDistributionsAreThoseCountedByHand) {
  const std::vector<double> two_of_four = {1, 2, 4, 5, 6};
  const auto cumulative = rank_sum_cumulative(2, 2);
  ASSERT_EQ(cumulative.size(), two_of_four.size());
  for (std::size_t u = 0; u < two_of_four.size(); ++u) EXPECT_NEAR(cumulative[u], two_of_four[u] / 6, 1e-15);
  EXPECT_EQ(rank_sum_cumulative(1, 1), (std::vector<double>{0.5, 1}));
}

TEST(RankSum, CriticalValuesAreThoseOfTheTables) {
  // Mann and Whitney's tables: one-sided 0.025 and 0.005.
  const struct {
    std::size_t m, n, p025, p005;
  } table[] = {{5, 5, 2, 0},     {6, 8, 8, 4},    {8, 8, 13, 7},
               {10, 10, 23, 16}, {12, 7, 18, 12}, {20, 20, 127, 105}};
  for (const auto& row : table) {
    EXPECT_EQ(rank_sum_critical(row.m, row.n, 0.025), row.p025) << row.m << ' ' << row.n;
    EXPECT_EQ(rank_sum_critical(row.m, row.n, 0.005), row.p005) << row.m << ' ' << row.n;
    EXPECT_EQ(rank_sum_critical(row.n, row.m, 0.025), row.p025) << "the sides change places";
  }
  EXPECT_EQ(rank_sum_critical(3, 3, 0.025), std::nullopt);
  EXPECT_EQ(rank_sum_critical(4, 4, 0.025), 0u);
}

TEST(RankSum, LargeSamplesGoOnWhereTheExactOnesEnd) {
  const auto exact = rank_sum_cumulative(21, 20);
  const auto critical = rank_sum_critical(21, 20, 0.025);
  ASSERT_TRUE(critical);
  EXPECT_NEAR(exact[*critical], 0.025, 0.002);
  EXPECT_EQ(rank_sum_critical(1, 30, 0.025), std::nullopt);
}

TEST(RankSum, TheTestGivesTheUsualP) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {9, 10, 11, 12, 13, 14, 15, 16};
  EXPECT_NEAR(mann_whitney_p(a, b), 0.0009391, 1e-6);
  EXPECT_EQ(mann_whitney_p(a, b), mann_whitney_p(b, a));
  EXPECT_EQ(mann_whitney_p(a, a), 1);
  EXPECT_EQ(mann_whitney_p({5, 5, 5}, {5, 5}), 1) << "nothing but ties";
  EXPECT_NEAR(mann_whitney_p({1, 1, 2, 2, 3}, {2, 3, 3, 4, 4}), 0.0524116, 1e-6) << "with ties";
}

TEST(RankSum, WhatIsNoNumberIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(mann_whitney_p({}, {1}), std::invalid_argument);
  EXPECT_THROW(mann_whitney_p({1}, {nan}), std::invalid_argument);
}

}  // namespace
}  // namespace ablate::gate::rank_sum_test
