#include "base/statistics/signed_rank.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ablate::gate::signed_rank_test {
namespace {

TEST(SignedRank, SmallDistributionsAreThoseCountedByHand) {
  const std::vector<double> three = {1, 2, 3, 5, 6, 7, 8};
  const auto cumulative = signed_rank_cumulative(3);
  ASSERT_EQ(cumulative.size(), three.size());
  for (std::size_t w = 0; w < three.size(); ++w) EXPECT_EQ(cumulative[w], three[w] / 8);
  EXPECT_EQ(signed_rank_cumulative(0), std::vector<double>{1});
  EXPECT_EQ(signed_rank_cumulative(1), (std::vector<double>{0.5, 1}));
}

TEST(SignedRank, CriticalValuesAreThoseOfTheTables) {
  // Wilcoxon's tables: one-sided 0.05, 0.025, 0.01, 0.005.
  const struct {
    std::size_t n, p05, p025, p01, p005;
  } table[] = {{8, 5, 3, 1, 0},      {10, 10, 8, 5, 3},    {12, 17, 13, 9, 7},
               {16, 35, 29, 23, 19}, {20, 60, 52, 43, 37}, {25, 100, 89, 76, 68}};
  for (const auto& row : table) {
    EXPECT_EQ(signed_rank_critical(row.n, 0.05), row.p05) << row.n;
    EXPECT_EQ(signed_rank_critical(row.n, 0.025), row.p025) << row.n;
    EXPECT_EQ(signed_rank_critical(row.n, 0.01), row.p01) << row.n;
    EXPECT_EQ(signed_rank_critical(row.n, 0.005), row.p005) << row.n;
  }
}

TEST(SignedRank, TooFewDifferencesReachNoLevel) {
  EXPECT_EQ(signed_rank_critical(1, 0.05), std::nullopt);
  EXPECT_EQ(signed_rank_critical(4, 0.05), std::nullopt);
  EXPECT_EQ(signed_rank_critical(5, 0.05), 0u);
  EXPECT_EQ(signed_rank_critical(5, 0.025), std::nullopt);
  EXPECT_EQ(signed_rank_critical(6, 0.025), 0u);
}

TEST(SignedRank, TheDistributionIsSymmetricAndEndsAtOne) {
  for (std::size_t n : {7u, 32u, 64u}) {
    const auto cumulative = signed_rank_cumulative(n);
    EXPECT_NEAR(cumulative.back(), 1, 1e-12);
    for (std::size_t w = 0; w + 1 < cumulative.size(); ++w)
      EXPECT_NEAR(cumulative[w] + cumulative[cumulative.size() - 2 - w], 1, 1e-12);
    EXPECT_EQ(cumulative[0], std::ldexp(1.0, -static_cast<int>(n)));
  }
}

}  // namespace
}  // namespace ablate::gate::signed_rank_test
