#include "base/record/counter_regime.h"

#include <gtest/gtest.h>

namespace ablate::reports::counter_regime_test {
namespace {

measured_case timed(double median_us, double counted_us, const std::string& method = "events",
                    std::size_t kernels = 1) {
  measured_case out{};
  out.time.median_us = median_us;
  out.time.method = method;
  out.counters.values = {{"gpu__time_duration.sum", counted_us * 1e3}};
  out.floors = measured_case::floor_times{};
  out.floors->launch_us = method == "graph" ? 0.8 : 4.0;
  out.kernels.resize(kernels);
  return out;
}

TEST(CounterRegime, IsAnotherWhereTheCountedLaunchTookAnotherTime) {
  EXPECT_EQ(counted_over_timed(timed(100, 130)), 1.3);
  EXPECT_EQ(counted_over_timed(timed(100, 50)), 0.5);
  EXPECT_EQ(regime_mark(timed(100, 133)), " § 1.33×");
  EXPECT_EQ(regime_sign(timed(100, 133)), " §");
}

TEST(CounterRegime, IsTheSameWithin20Percent) {
  EXPECT_FALSE(counted_over_timed(timed(100, 119)));
  EXPECT_FALSE(counted_over_timed(timed(100, 81)));
  EXPECT_EQ(regime_mark(timed(100, 110)), "");
}

TEST(CounterRegime, IsTheSameWhereLaunchesExplainTheDifference) {
  EXPECT_FALSE(counted_over_timed(timed(0.8, 2.1, "graph"))) << "an empty kernel, hot";
  EXPECT_FALSE(counted_over_timed(timed(4.8, 1.5))) << "an empty kernel, cold";
  EXPECT_FALSE(counted_over_timed(timed(60, 42, "events", 8))) << "gaps between kernels";
  EXPECT_TRUE(counted_over_timed(timed(60, 42, "events", 2)));
}

TEST(CounterRegime, WhatTheHostTakesBesideKernelsIsNone) {
  EXPECT_FALSE(counted_over_timed(timed(100, 40, "host_clock")));
  EXPECT_TRUE(counted_over_timed(timed(100, 140, "host_clock")));
}

TEST(CounterRegime, IsNotKnownWithoutALength) {
  measured_case none = timed(100, 10);
  none.counters.values = {};
  EXPECT_FALSE(counted_over_timed(none));
}

}  // namespace
}  // namespace ablate::reports::counter_regime_test
