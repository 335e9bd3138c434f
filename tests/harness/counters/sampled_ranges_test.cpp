#include "harness/counters/sampled_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/counters/metric_groups.h"

namespace ablate::sampled_ranges_test {
namespace {

constexpr std::uint64_t ms = 1'000'000;

/// A device on which forwards of 2 ms are busy for the first `busy_share` of their time, and whose samples'
/// clock is ahead. What is sampled takes longer by `cost`.
class made_device final : public device_sampler {
 public:
  double busy_share = 0.5, cost = 1;
  std::uint64_t ahead_ns = 0;
  std::vector<std::uint64_t> intervals = {};
  int short_rounds = 0;  ///< so many calls give the samples of 3 ms alone

  const std::vector<std::string>& keys() const override { return keys_; }

  clocked_samples sample(std::uint64_t interval_ns, const std::function<void()>& work) override {
    intervals.push_back(interval_ns);
    busy_.clear();
    const std::uint64_t start = now_;
    samples_ = true;
    work();
    samples_ = false;
    clocked_samples out{{}, static_cast<double>(ahead_ns)};
    const std::uint64_t end = short_rounds-- > 0 ? start + 3 * ms : now_;
    for (std::uint64_t at = start; at + interval_ns <= end; at += interval_ns) {
      const double busy = busy_in(at, at + interval_ns);
      out.samples.push_back({at + ahead_ns, at + interval_ns + ahead_ns, {80 * busy, 20 * busy, 100 * busy}});
    }
    return out;
  }

  std::vector<device_range> run() {
    std::vector<device_range> out;
    for (int i = 0; i < forwards_a_round; ++i) {
      now_ += ms / 10;
      // The first one after a pause is slow.
      const double length = (i == 0 ? 6e6 : 2e6) * (samples_ ? cost : 1);
      const device_range range{now_, now_ + static_cast<std::uint64_t>(length)};
      busy_.push_back({range.start_ns, range.start_ns + static_cast<std::uint64_t>(busy_share * length)});
      out.push_back(range);
      now_ = range.end_ns;
    }
    now_ += ms / 10;
    return out;
  }

 private:
  double busy_in(std::uint64_t from, std::uint64_t to) const {
    double busy = 0;
    for (const device_range& b : busy_)
      if (const auto low = std::max(from, b.start_ns), high = std::min(to, b.end_ns); high > low)
        busy += static_cast<double>(high - low);
    return busy / static_cast<double>(to - from);
  }

  std::vector<std::string> keys_ = {"sm_active_pct", "tensor_pct", busy_key};
  std::uint64_t now_ = 5 * ms;
  bool samples_ = false;
  std::vector<device_range> busy_;
};

nlohmann::ordered_json sampled(made_device& device) {
  return to_json(sampled_of(device.keys(), sample_forwards(device, [&] { return device.run(); })));
}

TEST(SampledRanges, AForwardHasTwoHundredSamplesAtLeastTwoMicrosecondsApart) {
  EXPECT_EQ(interval_of_ranges_ns(3000), 15000u);
  EXPECT_EQ(interval_of_ranges_ns(100), 2000u);
  EXPECT_EQ(interval_of_ranges_ns(1e9), 1'000'000u);
}

TEST(SampledRanges, ASampleCountsByThePartOfItInside) {
  const std::vector<pm_sample> samples = {{100, 200, {40}}, {200, 300, {80}}, {300, 400, {10}}};
  EXPECT_DOUBLE_EQ(means_over(samples, {150, 300}).at(0), (50 * 40 + 100 * 80) / 150.0);
  EXPECT_DOUBLE_EQ(means_over(samples, {220, 280}).at(0), 80);
  EXPECT_TRUE(std::isnan(means_over({{100, 200, {NAN}}}, {100, 200}).at(0)));
}

TEST(SampledRanges, WhatSamplesDoNotCoverHasNoMean) {
  const std::vector<pm_sample> samples = {{100, 200, {40}}};
  EXPECT_NO_THROW(means_over(samples, {100, 210}));
  for (const device_range range : {device_range{100, 220}, {300, 400}, {150, 150}})
    EXPECT_THROW(means_over(samples, range), counters_unavailable) << range.end_ns;
}

TEST(SampledRanges, ARoundWhoseSamplesFallShortIsSampledAnew) {
  made_device device;
  device.short_rounds = 3;
  const auto json = sampled(device);
  EXPECT_EQ(json.at("ranges"), 12);
  EXPECT_EQ(device.intervals.size(), 6u);
  EXPECT_NEAR(json.at("mean").at("sm_active_pct").get<double>(), 40, 0.1);
  made_device away;
  away.short_rounds = 100;
  EXPECT_THROW(sampled(away), samples_fall_short);
  EXPECT_EQ(away.intervals.size(), 4u);
}

TEST(SampledRanges, OfARoundThatFallsShortNothingIsKept) {
  sampled_ranges kept;
  const clocked_samples taken{{{100, 200, {40}}, {200, 300, {80}}}, 0};
  EXPECT_THROW(add_round(taken, {{100, 200}, {250, 900}}, kept), samples_fall_short);
  EXPECT_TRUE(kept.means.empty());
  EXPECT_TRUE(kept.sampled.empty());
}

TEST(SampledRanges, GapsCountAndAreTakenOut) {
  made_device device;
  const auto json = sampled(device);
  EXPECT_EQ(json.at("ranges"), 12);
  EXPECT_DOUBLE_EQ(json.at("interval_us"), 10);
  EXPECT_EQ(device.intervals, std::vector<std::uint64_t>(3, 10000));
  EXPECT_DOUBLE_EQ(json.at("range_us"), 2000);
  EXPECT_NEAR(json.at("busy_share").get<double>(), 0.5, 2e-3);
  EXPECT_NEAR(json.at("mean").at("sm_active_pct").get<double>(), 40, 0.1);
  EXPECT_NEAR(json.at("mean").at("tensor_pct").get<double>(), 10, 0.1);
  EXPECT_NEAR(json.at("without_gaps").at("sm_active_pct").get<double>(), 80, 0.1);
  EXPECT_NEAR(json.at("without_gaps").at("tensor_pct").get<double>(), 20, 0.1);
  EXPECT_LT(json.at("sigma").at("sm_active_pct").get<double>(), 0.1);
  EXPECT_FALSE(json.at("mean").contains(busy_key));
}

TEST(SampledRanges, TheSlowFirstForwardOfARoundIsLeftOut) {
  made_device device;
  const auto json = sampled(device);
  EXPECT_DOUBLE_EQ(json.at("range_sigma_us"), 0);
  EXPECT_DOUBLE_EQ(json.at("unsampled_us"), 2000);
}

TEST(SampledRanges, RangesAreSetToTheSamplesClock) {
  made_device set, unset;
  set.ahead_ns = 123'456'789;
  const auto json = sampled(set);
  EXPECT_NEAR(json.at("mean").at("sm_active_pct").get<double>(), 40, 0.1);
  EXPECT_EQ(json.at("mean"), sampled(unset).at("mean"));
  const device_range behind = on_samples_clock({5000, 7000}, -2000.4);
  EXPECT_EQ(behind.start_ns, 3000u);
  EXPECT_EQ(behind.end_ns, 5000u);
}

TEST(SampledRanges, TheCostOfSamplingIsThatOfForwardsInTurns) {
  made_device device;
  device.cost = 1.015;
  const auto json = sampled(device);
  EXPECT_NEAR(json.at("cost_pct").get<double>(), 1.5, 1e-3);
  EXPECT_NEAR(json.at("range_us").get<double>(), 2030, 0.01);
}

TEST(SampledRanges, ADeviceThatDoesNothingIsNoResult) {
  made_device device;
  device.busy_share = 0;
  EXPECT_THROW(sampled(device), counters_unavailable);
  EXPECT_THROW(to_json(sampled_of({"sm_active_pct"}, {})), counters_unavailable);
}

TEST(SampledRanges, WithoutUnsampledForwardsThereIsNoCost) {
  sampled_ranges ranges;
  ranges.interval_ns = 2000;
  ranges.sampled = {{0, 2 * ms}, {3 * ms, 6 * ms}};
  ranges.means = {{30, NAN, 60}, {50, NAN, 100}};
  const auto json = to_json(sampled_of({"sm_active_pct", "tensor_pct", busy_key}, ranges));
  EXPECT_TRUE(json.at("cost_pct").is_null());
  EXPECT_TRUE(json.at("unsampled_us").is_null());
  EXPECT_DOUBLE_EQ(json.at("range_us"), 2500);
  EXPECT_DOUBLE_EQ(json.at("range_sigma_us"), 500);
  EXPECT_DOUBLE_EQ(json.at("mean").at("sm_active_pct"), 40);
  EXPECT_DOUBLE_EQ(json.at("sigma").at("sm_active_pct"), 10);
  EXPECT_DOUBLE_EQ(json.at("without_gaps").at("sm_active_pct"), 50);
  EXPECT_TRUE(json.at("mean").at("tensor_pct").is_null());
  EXPECT_TRUE(json.at("without_gaps").at("tensor_pct").is_null());
}

TEST(SampledRanges, SmActiveComesFirstForItShowsTheMarker) {
  EXPECT_EQ(counters().sampled.front().first, "sm_active_pct");
  EXPECT_EQ(counters().sampled.back().first, busy_key);
}

}  // namespace
}  // namespace ablate::sampled_ranges_test
