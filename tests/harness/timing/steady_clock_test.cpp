#include "harness/timing/steady_clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ablate::steady_clock_test {
namespace {

using reasons = std::vector<std::string>;

/// A made device: its clock and load at each moment of sampling, looked at every 20 ms, one sample a look.
template <class Clock, class Load>
steady_clock_watch watched(double seconds, Clock mhz_at, Load load_at, double longest_wait = 5) {
  steady_clock_watch watch(700, longest_wait);
  std::size_t samples = 0;
  for (double now = 0.02; now < seconds && !watch.settled(); now += 0.02) {
    const double mhz = mhz_at(now);
    watch.look(now, ++samples, mhz > 0 ? counted_cycles{mhz * 1e3, 1e6} : counted_cycles{}, load_at(now));
  }
  return watch;
}

device_load light(double) { return {300, reasons{}}; }
device_load heavy(double) { return {690, reasons{"sw_power_cap"}}; }

TEST(SteadyClock, BelowTheCapTwoWindowsAreEnough) {
  const auto watch = watched(
      5, [](double) { return 1980.0; }, light);
  EXPECT_TRUE(watch.steady());
  const clock_over_samples found = watch.found();
  EXPECT_EQ(found.sm_mhz->min, 1980);
  EXPECT_EQ(found.sm_mhz->max, 1980);
  EXPECT_EQ(found.power_w->median, 300);
  EXPECT_EQ(found.power_cap_w, 700);
  EXPECT_EQ(found.event_reasons, reasons{});
  EXPECT_EQ(found.dropped_samples, 0);
  EXPECT_LT(found.seconds, 0.5);
}

TEST(SteadyClock, TheSamplesBeforeTheCapBitesDoNotCount) {
  const auto watch = watched(
      5, [](double now) { return now < 0.5 ? 1980.0 : 1700.0; },
      [](double now) {
        return now < 0.5 ? device_load{650, reasons{}} : heavy(now);
      });
  EXPECT_TRUE(watch.steady());
  EXPECT_GE(watch.first_seconds(), 0.4);
  EXPECT_GE(watch.first_sample(), 20u);
  const clock_over_samples found = watch.found();
  EXPECT_EQ(found.sm_mhz->median, 1700);
  EXPECT_EQ(found.event_reasons, reasons{"sw_power_cap"});
  EXPECT_GT(found.seconds, 1.4) << "at the cap the clock must hold for a second";
}

TEST(SteadyClock, NearTheCapOrWithoutPowerItMustHoldForASecond) {
  for (const device_load& load :
       {device_load{640, reasons{}}, device_load{{}, reasons{}}, device_load{300, {}}}) {
    const auto watch = watched(
        5, [](double) { return 1980.0; }, [&](double) { return load; });
    EXPECT_TRUE(watch.steady());
    EXPECT_GT(watch.found().seconds, 0.9);
  }
}

TEST(SteadyClock, AReasonThatComesAndGoesIsSteadyButANewOneIsNot) {
  const auto flicker = watched(
      5, [](double) { return 1900.0; },
      [](double now) { return static_cast<int>(now / 0.2) % 2 ? light(now) : heavy(now); });
  EXPECT_TRUE(flicker.steady());
  EXPECT_LT(flicker.found().seconds, 1.3);

  const auto late = watched(
      5, [](double) { return 1900.0; },
      [](double now) {
        return now < 0.3 ? light(now) : device_load{300, reasons{"hw_slowdown"}};
      });
  EXPECT_TRUE(late.steady());
  EXPECT_GE(late.first_seconds(), 0.2);
}

TEST(SteadyClock, BeingIdleBetweenBatchesIsNoReason) {
  const auto watch = watched(
      5, [](double) { return 1980.0; },
      [](double) {
        return device_load{200, reasons{"gpu_idle"}};
      });
  EXPECT_TRUE(watch.steady());
  EXPECT_LT(watch.found().seconds, 0.5);
  EXPECT_EQ(watch.found().event_reasons, reasons{});
}

TEST(SteadyClock, AClockThatWandersIsNotShownSteadyAndTheSecondHalfCounts) {
  const auto watch = watched(
      20, [](double now) { return 1900.0 - 80 * now; }, light);
  EXPECT_FALSE(watch.steady());
  EXPECT_TRUE(watch.time_is_up());
  EXPECT_GE(watch.first_seconds(), 2.5);
  EXPECT_LT(watch.first_seconds(), 2.8);
  EXPECT_FALSE(watch.found().steady);
  EXPECT_LT(watch.found().sm_mhz->max, 1900 - 80 * 2.4);
}

TEST(SteadyClock, ASlowSlopeWithinOnePercentAWindowIsNoSteadyClockAtTheCap) {
  const auto watch = watched(
      20, [](double now) { return 1900.0 - 60 * now; }, heavy);
  EXPECT_FALSE(watch.steady()) << "0.6 % a window, more than 1 % over five";
}

/// As an H200 at its cap: several percent, with a period of about a second.
double swinging(double now) { return 1700 + 40 * std::sin(2 * 3.14159265 * now / 1.05); }

TEST(SteadyClock, AClockThatSwingsAboutOneLevelIsLevelAfterTwoSwings) {
  const auto watch = watched(20, swinging, heavy);
  EXPECT_FALSE(watch.steady());
  EXPECT_TRUE(watch.level());
  EXPECT_FALSE(watch.time_is_up());
  const clock_over_samples found = watch.found();
  EXPECT_FALSE(found.steady);
  EXPECT_TRUE(found.level.value());
  EXPECT_GT(found.seconds, 2);
  EXPECT_LT(found.seconds, 2.5);
  EXPECT_EQ(watch.first_seconds(), 0) << "both swings count";
  EXPECT_LT(found.sm_mhz->min, 1670);
  EXPECT_GT(found.sm_mhz->max, 1730);
}

TEST(SteadyClock, SwingsBeforeTheCapBitesDoNotCount) {
  const auto watch = watched(
      20, [](double now) { return now < 0.7 ? 1980 : swinging(now); }, heavy);
  EXPECT_FALSE(watch.steady());
  EXPECT_TRUE(watch.level());
  EXPECT_GE(watch.first_seconds(), 0.6);
  EXPECT_LT(watch.found().seconds, 3.2);
  EXPECT_LT(watch.found().sm_mhz->max, 1760);
}

TEST(SteadyClock, ALevelThatFallsIsNone) {
  const auto watch = watched(
      20, [](double now) { return swinging(now) - 20 * now; }, heavy);
  EXPECT_FALSE(watch.level()) << "1.2 % from one second to the next";
  EXPECT_TRUE(watch.time_is_up());
  EXPECT_FALSE(watch.found().level.value());
}

TEST(SteadyClock, ASwingWithANewReasonIsNotLevel) {
  const auto watch = watched(20, swinging, [](double now) {
    return now < 1.3 ? device_load{690, reasons{}} : heavy(now);
  });
  EXPECT_TRUE(watch.level());
  EXPECT_GE(watch.first_seconds(), 0.2) << "the earlier swing must have it too";
  const auto unknown = watched(20, swinging, [](double) { return device_load{690, {}}; });
  EXPECT_FALSE(unknown.level());
}

TEST(SteadyClock, WithoutACountedClockNothingIsShown) {
  const auto watch = watched(
      20, [](double) { return 0.0; }, light, 1);
  EXPECT_FALSE(watch.steady());
  EXPECT_FALSE(watch.found().sm_mhz);
  EXPECT_LT(watch.found().seconds, 1.1);
}

}  // namespace
}  // namespace ablate::steady_clock_test
