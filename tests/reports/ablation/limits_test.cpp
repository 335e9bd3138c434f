#include "reports/ablation/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

// The probability behind a verdict over launches, and verdicts that are read together.

namespace ablate::reports::limits_test {
namespace {

using gate::launch_ratio;
using gate::verdict;

constexpr effect_limits limits = {2, 5, 30, 20, 0.5, 0.95};

launch_ratio launched(double effect, double spread, std::size_t launches, std::mt19937_64& random) {
  std::normal_distribution<double> noise(effect, spread);
  std::vector<gate::launched_ratio> out;
  for (std::size_t i = 0; i < launches; ++i) out.push_back({0, noise(random)});
  return ratio_over_launches(out, limits.confidence);
}

TEST(VerdictsOverLaunches, AreCertainExactlyWhereTheirProbabilityIs) {
  std::mt19937_64 random(5);
  std::size_t decided = 0, open = 0;
  for (int i = 0; i < 2000; ++i) {
    const launch_ratio over = launched(0.06 * (i % 41 - 20) / 20, 0.02, 3 + i % 6, random);
    const judgment j = judged(over, limits);
    ASSERT_TRUE(j.p);
    if (j.word != verdict::inconclusive) {
      ++decided;
      EXPECT_LE(*j.p, 0.05 + 1e-9) << over.estimate << " from " << over.low << " to " << over.high;
    } else {
      ++open;
      EXPECT_GT(*j.p, 0.05 - 1e-9) << over.estimate << " from " << over.low << " to " << over.high;
    }
  }
  EXPECT_GT(decided, 200u);
  EXPECT_GT(open, 200u);
}

TEST(VerdictsOverLaunches, TheProbabilityCountsTheSamplesOfLaunchesThatAgree) {
  const launch_ratio over = gate::ratio_over_launches(
      {{0, -0.02, 0.02}, {0, -0.02, 0.02}, {0, -0.02, 0.02}, {0, -0.02, 0.02}}, 0.95);
  EXPECT_NEAR(over.p_below(0), std::erfc(0.02 / 0.01 / std::sqrt(2.0)) / 2, 1e-12);
  EXPECT_NEAR(over.p_above(0), 1 - over.p_below(0), 1e-12);
}

TEST(VerdictsOverLaunches, OneLaunchHasNoProbability) {
  EXPECT_FALSE(judged_within_launch({-0.5, -0.51, -0.49}, 100, limits).p);
  EXPECT_EQ(gate::ratio_over_launches({{0, -0.5}}, 0.95).p_below(0), 1);
}

std::vector<verdict> words_of(std::vector<judgment> together) {
  std::vector<judgment*> all;
  for (judgment& j : together) all.push_back(&j);
  control_false_discoveries(all, limits);
  std::vector<verdict> out;
  for (const judgment& j : together) out.push_back(j.word);
  return out;
}

judgment of(verdict word, std::optional<double> p) { return {word, 2, "", p}; }

TEST(VerdictsReadTogether, OneThatIsBarelyCertainIsNotAmongManyThatAreOpen) {
  std::vector<judgment> together(10, of(verdict::inconclusive, 0.4));
  together[3] = of(verdict::faster, 0.03);
  together[6] = of(verdict::same, 0.0001);
  const auto words = words_of(together);
  EXPECT_EQ(words[3], verdict::inconclusive);
  EXPECT_EQ(words[6], verdict::same);
}

TEST(VerdictsReadTogether, AloneOrAmongItsLikeItStays) {
  EXPECT_EQ(words_of({of(verdict::faster, 0.03)})[0], verdict::faster);
  for (const verdict word : words_of(std::vector<judgment>(10, of(verdict::slower, 0.049))))
    EXPECT_EQ(word, verdict::slower);
}

TEST(VerdictsReadTogether, ThoseOfOneLaunchStayAndDoNotCount) {
  std::vector<judgment> together(50, of(verdict::inconclusive, std::nullopt));
  together[0] = of(verdict::slower, std::nullopt);
  together[1] = of(verdict::faster, 0.03);
  const auto words = words_of(together);
  EXPECT_EQ(words[0], verdict::slower);
  EXPECT_EQ(words[1], verdict::faster);
}

// Most comparisons have an effect at the bound or below it, which no verdict may call one.
TEST(VerdictsReadTogether, TheShareOfFalseOnesStaysBelowWhatTheIntervalsLeave) {
  std::mt19937_64 random(9);
  constexpr int trials = 300, comparisons = 60, without = 54;
  const double bound = limits.bound_share * std::log1p(limits.minimum_pct / 100);
  double together_share = 0, alone_share = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<judgment> alone;
    for (int i = 0; i < comparisons; ++i)
      alone.push_back(judged(launched(i < without ? bound : 0.2, 0.03, 6, random), limits));
    const auto share = [&](const std::vector<verdict>& words) {
      const auto is_effect = [](verdict w) { return w == verdict::slower; };
      const auto all = std::count_if(words.begin(), words.end(), is_effect),
                 wrong = std::count_if(words.begin(), words.begin() + without, is_effect);
      return all == 0 ? 0.0 : static_cast<double>(wrong) / static_cast<double>(all);
    };
    std::vector<verdict> words;
    for (const judgment& j : alone) words.push_back(j.word);
    alone_share += share(words) / trials;
    together_share += share(words_of(alone)) / trials;
  }
  EXPECT_LE(together_share, 0.05);
  EXPECT_GT(alone_share, 0.1);
}

}  // namespace
}  // namespace ablate::reports::limits_test
