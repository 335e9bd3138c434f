#include "reports/gate/shift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "harness/inputs/random.h"

namespace ablate::gate::shift_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<double> made(std::size_t n, double center, std::uint64_t seed) {
  random_stream random(seed, "shift_test");
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(center + random.normal());
  return out;
}

TEST(PairedShift, IsTheMedianOfTheWalshAverages) {
  // Averages of 1, 4, 10: 1, 2.5, 4, 5.5, 7, 10.
  const shift s = paired_shift({4, 1, 10}, 0.75);
  EXPECT_EQ(s.estimate, 4.75);
  EXPECT_EQ(s.low, 1) << "P(W+ = 0) = 1/8: the interval is the whole range";
  EXPECT_EQ(s.high, 10);
}

TEST(PairedShift, TheIntervalLeavesOutWhatTheTableSays) {
  // n = 10, two-sided 0.05: 8 averages at either end are outside (1-based, from the 9th to the 47th of 55).
  std::vector<double> d = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, walsh;
  for (double a : d)
    for (double b : d)
      if (a <= b) walsh.push_back((a + b) / 2);
  std::sort(walsh.begin(), walsh.end());
  const shift s = paired_shift(d, 0.95);
  EXPECT_EQ(s.low, walsh[8]);
  EXPECT_EQ(s.high, walsh[46]);
  EXPECT_EQ(s.estimate, 4.5);
}

TEST(PairedShift, FewDifferencesBoundNothing) {
  const shift one = paired_shift({0.25}, 0.95);
  EXPECT_EQ(one.estimate, 0.25);
  EXPECT_EQ(one.low, -infinite);
  EXPECT_EQ(one.high, infinite);
  EXPECT_EQ(paired_lower_bound({1, 1, 1, 1}, 0.05), -infinite);
  EXPECT_EQ(paired_lower_bound({1, 1, 1, 1, 1}, 0.05), 1);
}

TEST(PairedShift, TiesAndZerosAreNoTrouble) {
  const shift zero = paired_shift(std::vector<double>(16, 0.0), 0.95);
  EXPECT_EQ(zero.estimate, 0);
  EXPECT_EQ(zero.low, 0);
  EXPECT_EQ(zero.high, 0);
  EXPECT_EQ(paired_p_above(std::vector<double>(16, 0.0), 0), 1) << "no difference speaks for the null";
  const shift tied = paired_shift({1, 1, 1, 2, 2, 2, 0, 0}, 0.95);
  EXPECT_EQ(tied.estimate, 1);
  EXPECT_LE(tied.low, 0.5);
  EXPECT_GE(tied.high, 1.5);
}

TEST(PairedShift, SurvivesAFifthOfWildDifferences) {
  std::vector<double> d = made(16, 0, 1);
  const double clean = paired_shift(d, 0.95).estimate;
  for (std::size_t i = 0; i < 3; ++i) d[i] = 1e9;
  EXPECT_NEAR(paired_shift(d, 0.95).estimate, clean, 1.5);
}

TEST(PairedShift, PAndBoundSayTheSame) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<double> d = made(16, 0.5, seed);
    for (double threshold : {-0.5, 0.0, 0.2, 0.5, 1.0}) {
      EXPECT_EQ(paired_p_above(d, threshold) <= 0.005, paired_lower_bound(d, 0.005) > threshold);
      EXPECT_EQ(paired_p_below(d, threshold) <= 0.005, paired_upper_bound(d, 0.005) < threshold);
    }
  }
  EXPECT_EQ(paired_p_above({1, 2, 3}, 0), 0.125);
  EXPECT_EQ(paired_p_below({1, 2, 3}, 0), 1);
}

TEST(PairedShift, TheIntervalHoldsTheCenterAsOftenAsItSays) {
  int outside = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const shift s = paired_shift(made(16, 0.5, seed), 0.95);
    outside += !(s.low <= 0.5 && 0.5 <= s.high);
  }
  EXPECT_GT(outside, 60);
  EXPECT_LT(outside, 140) << "five standard deviations above 5 % of 2000";
}

TEST(PairedShift, WhatIsNoNumberIsRefused) {
  EXPECT_THROW(paired_shift({}, 0.95), std::invalid_argument);
  EXPECT_THROW(paired_shift({1, nan}, 0.95), std::invalid_argument);
  EXPECT_THROW(paired_shift({1, infinite}, 0.95), std::invalid_argument);
  EXPECT_THROW(paired_shift({1}, 1), std::invalid_argument);
  EXPECT_THROW(paired_shift({1}, nan), std::invalid_argument);
  EXPECT_THROW(paired_p_above({1}, nan), std::invalid_argument);
  EXPECT_THROW(paired_lower_bound({1}, 0), std::invalid_argument);
}

TEST(UnpairedShift, IsTheMedianOfAllDifferences) {
  const shift s = unpaired_shift({1, 2, 4}, {3, 10}, 0.95);
  // 2, 1, -1, 9, 8, 6
  EXPECT_EQ(s.estimate, 4);
  EXPECT_EQ(s.low, -infinite);
  EXPECT_EQ(s.high, infinite);
}

TEST(UnpairedShift, AgreesWithAllDifferencesInOrder) {
  const std::vector<double> a = made(37, 0, 1), b = made(44, 2, 2);
  std::vector<double> all;
  for (double x : a)
    for (double y : b) all.push_back(y - x);
  std::sort(all.begin(), all.end());
  const shift s = unpaired_shift(a, b, 0.95);
  EXPECT_EQ(s.estimate, (all[37 * 44 / 2 - 1] + all[37 * 44 / 2]) / 2);
  EXPECT_NE(std::find(all.begin(), all.end(), s.low), all.end());
  EXPECT_LT(s.low, s.estimate);
  EXPECT_LT(s.estimate, s.high);
  const shift back = unpaired_shift(b, a, 0.95);
  EXPECT_EQ(back.estimate, -s.estimate);
  EXPECT_EQ(back.low, -s.high);
  EXPECT_EQ(back.high, -s.low);
}

TEST(UnpairedShift, EightOfEachLeaveThirteenOutAsInTheTables) {
  std::vector<double> a, b, all;
  for (int i = 0; i < 8; ++i) {
    a.push_back(std::sqrt(i));
    b.push_back(3 + std::sqrt(2.5 * i));
  }
  for (double x : a)
    for (double y : b) all.push_back(y - x);
  std::sort(all.begin(), all.end());
  const shift s = unpaired_shift(a, b, 0.95);
  EXPECT_EQ(s.low, all[13]);
  EXPECT_EQ(s.high, all[50]);
}

TEST(UnpairedShift, EqualSamplesShiftByNothing) {
  const std::vector<double> equal(30, 5.0);
  const shift s = unpaired_shift(equal, equal, 0.95);
  EXPECT_EQ(s.estimate, 0);
  EXPECT_EQ(s.low, 0);
  EXPECT_EQ(s.high, 0);
}

TEST(UnpairedShift, WhatIsNoNumberIsRefused) {
  EXPECT_THROW(unpaired_shift({}, {1}, 0.95), std::invalid_argument);
  EXPECT_THROW(unpaired_shift({1}, {}, 0.95), std::invalid_argument);
  EXPECT_THROW(unpaired_shift({1}, {nan}, 0.95), std::invalid_argument);
  EXPECT_THROW(unpaired_shift({1}, {1}, 0), std::invalid_argument);
}

TEST(CrossoverShift, AnEffectOfTheOrderCancels) {
  const shift s = crossover_shift({{5, 6, 7, 8}, {-3, -2, -1, 0}}, 0.9);
  EXPECT_DOUBLE_EQ(s.estimate, 2.5);
  EXPECT_GE(s.low, 1);
  EXPECT_LE(s.high, 4);
  // Of one order alone nothing is known.
  EXPECT_EQ(crossover_shift({{5, 6, 7}, {}}, 0.9).low, -unbounded);
  EXPECT_EQ(crossover_p_above({{5, 6, 7}, {}}, 0), 1);
}

TEST(CrossoverShift, ItsPValueIsTheRankSumTests) {
  EXPECT_DOUBLE_EQ(smallest_crossover_p(8), 1.0 / 70);
  EXPECT_DOUBLE_EQ(smallest_crossover_p(16), 1.0 / 12870);
  EXPECT_EQ(smallest_crossover_p(1), 1);
  EXPECT_DOUBLE_EQ(crossover_p_above({{1, 2, 3, 4}, {1.5, 2.5, 3.5, 4.5}}, 0), 1.0 / 70);
  EXPECT_DOUBLE_EQ(crossover_p_below({{1, 2, 3, 4}, {1.5, 2.5, 3.5, 4.5}}, 0), 1);
  EXPECT_DOUBLE_EQ(crossover_p_below({{-1, -2, -3, -4}, {-1.5, -2.5, -3.5, -4.5}}, 0), 1.0 / 70);
}

}  // namespace
}  // namespace ablate::gate::shift_test
