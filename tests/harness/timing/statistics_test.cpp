#include "harness/timing/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>

#include "base/record/case_json.h"
#include "harness/timing/stopping_rule.h"
#include "harness/timing/timed.h"

namespace ablate::statistics_test {
namespace {

TEST(Summary, OfConstantSamplesHasNoSpread) {
  const summary s = summarize(std::vector<double>(40, 5.0));
  EXPECT_EQ(s.median, 5.0);
  EXPECT_EQ(s.minimum, 5.0);
  EXPECT_EQ(s.mad, 0.0);
  EXPECT_EQ(s.ci95_low, 5.0);
  EXPECT_EQ(s.ci95_high, 5.0);
  EXPECT_EQ(s.relative_half_width(), 0.0);
}

TEST(Summary, OfOneToHundredMatchesTheBinomialTable) {
  std::vector<double> samples;
  for (int i = 100; i >= 1; --i) samples.push_back(i);
  const summary s = summarize(samples);
  EXPECT_EQ(s.median, 50.5);
  EXPECT_EQ(s.minimum, 1);
  EXPECT_EQ(s.mad, 25);
  // n/2 ± 2.1·√100/2 = 39.5 and 60.5: the 40th and the 62nd value, outward.
  EXPECT_EQ(s.ci95_low, 40);
  EXPECT_EQ(s.ci95_high, 62);
}

TEST(Summary, OfTwoValuesTakesTheMiddle) {
  std::vector<double> samples(30, 1.0);
  samples.insert(samples.end(), 30, 3.0);
  const summary s = summarize(samples);
  EXPECT_EQ(s.median, 2.0);
  EXPECT_EQ(s.mad, 1.0);
  EXPECT_EQ(s.ci95_low, 1.0);
  EXPECT_EQ(s.ci95_high, 3.0);
}

TEST(Summary, IgnoresOneOutlierInTheMedianAndTheInterval) {
  std::vector<double> samples(50, 2.0);
  samples.push_back(1e9);
  const summary s = summarize(samples);
  EXPECT_EQ(s.median, 2.0);
  EXPECT_EQ(s.ci95_high, 2.0);
}

TEST(Summary, OfFewSamplesIsTheirRange) {
  const summary s = summarize({3.0, 1.0, 2.0});
  EXPECT_EQ(s.ci95_low, 1.0);
  EXPECT_EQ(s.ci95_high, 3.0);
}

TEST(Summary, RefusesNothingAndNaN) {
  EXPECT_THROW(summarize({}), std::invalid_argument);
  EXPECT_THROW(summarize({1.0, std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
}

TEST(OrderedSamples, TellTheWidthOfTheirSummaryToTheBit) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> ticks(300,
                                           340);  // equal ones among them, as an event's resolution makes
  for (const std::size_t at_once : {1, 10}) {
    std::vector<double> samples;
    ordered_samples ordered;
    while (samples.size() < 400) {
      std::vector<double> more;
      for (std::size_t i = 0; i < at_once; ++i) more.push_back(0.032 * ticks(random));
      samples.insert(samples.end(), more.begin(), more.end());
      ordered.add(more);
      ASSERT_EQ(ordered.size(), samples.size());
      ASSERT_EQ(ordered.relative_half_width(), summarize(samples).relative_half_width()) << samples.size();
    }
  }
  EXPECT_THROW(ordered_samples(std::vector<double>{1.0, std::numeric_limits<double>::infinity()}),
               std::invalid_argument);
}

sampling rule() {
  return {.minimum_samples = 30, .maximum_samples = 200, .half_width = 0.005, .maximum_seconds = 0.5};
}

TEST(StoppingRule, WaitsForTheMinimumOfSamples) {
  EXPECT_EQ(enough(rule(), std::vector<double>(29, 1.0), 0.1), std::nullopt);
  EXPECT_EQ(enough(rule(), std::vector<double>(30, 1.0), 0.1), stop_reason::precision);
}

TEST(StoppingRule, GoesOnWhileTheMedianIsUncertainAndStopsWithTheTime) {
  std::vector<double> samples;
  for (int i = 0; i < 60; ++i) samples.push_back(1 + 0.1 * (i % 7));
  EXPECT_EQ(enough(rule(), samples, 0.1), std::nullopt);
  EXPECT_EQ(enough(rule(), samples, 0.5), stop_reason::time);
}

TEST(StoppingRule, StopsAtTheMaximumOfSamples) {
  std::vector<double> samples;
  for (int i = 0; i < 200; ++i) samples.push_back(1 + 0.1 * (i % 7));
  EXPECT_EQ(enough(rule(), samples, 0.1), stop_reason::samples);
}

TEST(StoppingRule, DoesNotTakeThirtySamplesOfAKernelOfSeconds) {
  EXPECT_EQ(enough(rule(), {4e6, 4e6}, 4.0), std::nullopt);
  EXPECT_EQ(enough(rule(), {4e6, 4e6}, 8.0), stop_reason::time);
}

TEST(Timed, IsWrittenInNanosecondSteps) {
  const auto json = to_json(timing_of({.samples_us = {1.00049, 2.0, 3.0}, .method = "events"}));
  EXPECT_EQ(json["samples"][0], 1.0);
  EXPECT_EQ(json["median"], 2.0);
  EXPECT_EQ(json["method"], "events");
  EXPECT_EQ(json["stopped_by"], "precision");
}

/// The share of cases, sampled until the rule is satisfied, whose interval contains the true median, 1.
/// `at_once` samples are taken between two looks; `noise` makes one of a standard normal deviate.
double coverage(int cases, int at_once, const std::function<double(double)>& noise) {
  std::mt19937_64 random(20);
  std::normal_distribution<double> normal;
  int covered = 0;
  for (int i = 0; i < cases; ++i) {
    std::vector<double> samples;
    do
      for (int k = 0; k < at_once; ++k) samples.push_back(noise(normal(random)));
    while (!enough(rule(), samples, 0));
    const summary s = summarize(samples);
    covered += s.ci95_low <= 1 && 1 <= s.ci95_high;
  }
  return covered / static_cast<double>(cases);
}

TEST(StoppingRule, ThatLooksAfterEverySampleLeavesIntervalsOf95Percent) {
  const auto symmetric = [](double x) { return 1 + 0.018 * x; };
  const auto long_tailed = [](double x) { return std::exp(x > 0 ? 0.04 * x : 0.012 * x); };
  constexpr int cases = 1000;
  double sum = 0;
  for (const int at_once : {1, 10})
    for (const std::function<double(double)>& noise :
         {std::function<double(double)>(symmetric), std::function<double(double)>(long_tailed)}) {
      const double share = coverage(cases, at_once, noise);
      EXPECT_GE(share, 0.935) << at_once << " at once";
      sum += share;
    }
  EXPECT_GE(sum / 4, 0.95);
}

TEST(BlockMedians, KeepTheOrderOfTimeAndTheFiguresOfAllSamples) {
  timed t;
  for (int i = 0; i < 100; ++i) t.samples_us.push_back(i < 50 ? 10 + 0.001 * (i % 7) : 12 + 0.001 * (i % 7));
  const measured_case::timing whole = timing_of(t);
  measured_case::timing kept = whole;
  keep_block_medians(kept);
  EXPECT_EQ(kept.samples_per_block, 7);
  ASSERT_EQ(kept.samples_us.size(), 14u);
  EXPECT_EQ(kept.sample_count(), 98);
  EXPECT_NEAR(kept.samples_us.front(), 10.003, 1e-9);
  EXPECT_NEAR(kept.samples_us.back(), 12.003, 1e-9);
  EXPECT_EQ(kept.median_us, whole.median_us);
  EXPECT_EQ(kept.min_us, whole.min_us);
  EXPECT_EQ(kept.ci95_low_us, whole.ci95_low_us);
}

TEST(BlockMedians, OfFewSamplesAreTheSamples) {
  timed t;
  for (int i = 0; i < 16; ++i) t.samples_us.push_back(10 + i);
  measured_case::timing kept = timing_of(t);
  keep_block_medians(kept);
  EXPECT_FALSE(kept.samples_per_block);
  EXPECT_EQ(kept.samples_us, t.samples_us);
}

}  // namespace
}  // namespace ablate::statistics_test
