#include "harness/timing/energy_meter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ablate::energy_meter_test {
namespace {

constexpr double period_s = 0.05;  // of the made counter

/// Looks every 0.6 ms at a made counter that has, every 50 ms, the energy up to then.
template <class Power>
energy_meter metered(Power watts_at, const energy_rule& rule = {}) {
  energy_meter meter(rule);
  double joules = 100, counted = joules, next_s = period_s, before_s = 0;
  for (double now = 0; !meter.enough() && !meter.time_is_up(now); now += 0.6e-3) {
    joules += watts_at(now) * (now - before_s);
    before_s = now;
    if (now >= next_s) {
      counted = joules;
      next_s += period_s;
    }
    meter.look(now, counted);
  }
  return meter;
}

TEST(EnergyMeter, ConstantPowerIsFoundThroughSteps) {
  const auto found = metered([](double) { return 500.0; }).found();
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->mean_w, 500, 1);
  EXPECT_NEAR(found->step_j, 500 * period_s, 1);
  EXPECT_GE(found->seconds, 2);
  EXPECT_GE(found->steps, 20u);
  EXPECT_LT(found->error_w, 10);
}

TEST(EnergyMeter, WhatCameBeforeTheClocksSettledDoesNotCount) {
  const auto found = metered([](double s) { return s < 0.25 ? 700.0 : 400.0; }).found();
  EXPECT_NEAR(found->mean_w, 400, 1);
}

TEST(EnergyMeter, PowerThatSwingsHasAWideInterval) {
  const auto found = metered([](double s) { return 500 + 100 * std::sin(s * 2 * 3.14159 / 0.7); }).found();
  EXPECT_GT(found->error_w, 20);
  EXPECT_NEAR(found->mean_w, 500, 2 * found->error_w);
}

TEST(EnergyMeter, ACounterThatStandsStillSaysNothing) {
  energy_meter meter({});
  double now = 0;
  for (; !meter.time_is_up(now); now += 0.01) meter.look(now, 5);
  EXPECT_GT(now, 7);
  EXPECT_FALSE(meter.enough());
  EXPECT_FALSE(meter.found());
}

TEST(EnergyMeter, EnoughIsBothTimeAndSteps) {
  const auto slow = metered([](double) { return 300.0; }, {.metered_s = 0.1, .least_steps = 40}).found();
  EXPECT_GE(slow->steps, 40u);
  const auto longer = metered([](double) { return 300.0; }, {.metered_s = 4, .least_steps = 10}).found();
  EXPECT_GE(longer->seconds, 4);
}

}  // namespace
}  // namespace ablate::energy_meter_test
