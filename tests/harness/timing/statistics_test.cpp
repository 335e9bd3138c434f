#include "harness/timing/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
  // n/2 ± 1.96·√100/2 = 40.2 and 59.8: the 41st and the 61st value, outward.
  EXPECT_EQ(s.ci95_low, 41);
  EXPECT_EQ(s.ci95_high, 61);
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
  const auto json = to_json(timed{.samples_us = {1.00049, 2.0, 3.0}, .method = "events"});
  EXPECT_EQ(json["samples"][0], 1.0);
  EXPECT_EQ(json["median"], 2.0);
  EXPECT_EQ(json["method"], "events");
  EXPECT_EQ(json["stopped_by"], "precision");
}

}  // namespace
}  // namespace ablate::statistics_test
