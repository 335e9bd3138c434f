#include "harness/counters/timeline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ablate::timeline_test {
namespace {

TEST(Timeline, AShortKernelIsLoopedUntilThereAreTwentySamples) {
  for (double us : {0.5, 2.0, 5.0, 39.0, 41.0, 200.0, 5000.0, 500000.0}) {
    const sampling_plan plan = plan_sampling(us);
    EXPECT_GE(1e3 * us * plan.loops / static_cast<double>(plan.interval_ns), 19.9) << us;
    EXPECT_LE(1e3 * us / static_cast<double>(plan.interval_ns), 510) << us;
    EXPECT_EQ(plan.loops == 1, us >= 20) << us;
  }
}

TEST(Timeline, CountsTimeFromTheStartOfTheLaunches) {
  const sampled_launches launches{{1000, 2}, 10000, 14000, {{"fill", 0.25}, {"sum", 0.75}}};
  std::vector<pm_sample> samples;
  for (std::uint64_t at = 0; at < 30000; at += 1000)
    samples.push_back({at, at + 1000, {at == 12000 ? std::nan("") : 50.0, 1.0}});
  const auto json = to_json(timeline_of({"sm_active_pct", "dram_read_pct"}, samples, launches));
  EXPECT_EQ(json.at("interval_ns"), 1000);
  EXPECT_EQ(json.at("loops"), 2);
  ASSERT_EQ(json.at("time_us").size(), 10u);
  EXPECT_EQ(json.at("time_us").front(), -2.5);
  EXPECT_EQ(json.at("time_us").back(), 6.5);
  EXPECT_EQ(json.at("metrics").at("sm_active_pct").size(), 10u);
  EXPECT_TRUE(json.at("metrics").at("sm_active_pct")[5].is_null());
  const auto& kernels = json.at("kernels");
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_EQ(kernels[0], (nlohmann::ordered_json{{"name", "fill"}, {"start_us", 0.0}, {"end_us", 0.5}}));
  EXPECT_EQ(kernels[3], (nlohmann::ordered_json{{"name", "sum"}, {"start_us", 2.5}, {"end_us", 4.0}}));
}

/// A host that was away: there was no room for the samples of the last launches, or of any.
TEST(Timeline, LaunchesThatSamplesDoNotShowHaveNone) {
  const sampled_launches launches{{1000, 1}, 10000, 20000, {{"fill", 1}}};
  const auto of_samples_until = [&](std::uint64_t end) {
    std::vector<pm_sample> samples;
    for (std::uint64_t at = 0; at < end; at += 1000) samples.push_back({at, at + 1000, {50}});
    return to_json(timeline_of({"sm_active_pct"}, samples, launches));
  };
  EXPECT_EQ(of_samples_until(19000).at("time_us").size(), 12u);
  for (const std::uint64_t end : {18000u, 9000u, 0u})
    EXPECT_THROW(of_samples_until(end), samples_fall_short) << end;
}

TEST(Timeline, TheMarkerTellsHowFarTheSamplesClockIsAhead) {
  const marker_times marker{100'000, 110'000};
  for (const double ahead : {-91'400.0, 0.0, 30'250.0}) {
    std::vector<pm_sample> samples;
    for (int i = -150; i < 150; ++i) {
      const double from = 1000.0 * i, to = from + 1000, begin = ahead, end = ahead + 10'000;
      const double active = std::max(0.0, std::min(to, end) - std::max(from, begin)) / 1000;
      const auto at = [](double ns) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(100'000 + ns));
      };
      // After the marker and some quiet, the case itself is as active.
      const bool in_case = from > ahead + 20'000;
      samples.push_back({at(from), at(to), {in_case ? 100 : 100 * active}});
    }
    const auto offset = clock_offset_ns(samples, marker);
    ASSERT_TRUE(offset.has_value()) << ahead;
    EXPECT_NEAR(*offset, ahead, 300);
  }
  EXPECT_EQ(clock_offset_ns({}, marker), std::nullopt);
  EXPECT_EQ(clock_offset_ns({{0, 1, {0.0}}, {1, 2, {5.0}}}, marker), std::nullopt);
  EXPECT_EQ(clock_offset_ns({{0, 1, {100.0}}, {1, 2, {100.0}}}, marker), std::nullopt);
}

TEST(Timeline, KernelsShareALaunchByTheirCountedDurations) {
  counter_readings counters;
  counters.kernels.push_back({"a", {{"gpu__time_duration.sum", 1000}}});
  counters.kernels.push_back({"b", {{"gpu__time_duration.sum", 3000}}});
  const auto shares = kernel_shares({"a", "b"}, counters);
  ASSERT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares[0].share, 0.25);
  EXPECT_EQ(shares[1].name, "b");

  const auto whole = kernel_shares({"a", "b"}, {});
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].name, "a + b");
  EXPECT_EQ(whole[0].share, 1.0);
}

}  // namespace
}  // namespace ablate::timeline_test
