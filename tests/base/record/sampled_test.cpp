#include "base/record/sampled.h"
#include "tests/support/refusal.h"

#include <gtest/gtest.h>

namespace ablate::sampled_test {
namespace {

using nlohmann::ordered_json;

ordered_json made() {
  return ordered_json::parse(R"({
    "ranges": 20, "interval_us": 6, "range_us": 3010.5, "range_sigma_us": 4.25, "unsampled_us": 3000, "cost_pct": 0.35,
    "busy_share": 0.8,
    "mean": {"sm_active_pct": 60, "tensor_pct": null},
    "sigma": {"sm_active_pct": 0.5, "tensor_pct": null},
    "without_gaps": {"sm_active_pct": 75, "tensor_pct": null}})");
}

sampled_activity read(const ordered_json& from) {
  sampled_activity out;
  from_json(reports::json_place(from, "r.json", "/sampled"), out);
  return out;
}

std::string refusal(const ordered_json& from) {
  return test_support::refusal_from([&] { read(from); });
}

TEST(Sampled, IsReadWithItsNulls) {
  const sampled_activity s = read(made());
  EXPECT_EQ(s.ranges, 20);
  EXPECT_EQ(s.unsampled_us, 3000);
  EXPECT_EQ(s.cost_pct, 0.35);
  EXPECT_EQ(find_activity(s.mean, "sm_active_pct"), 60);
  EXPECT_EQ(find_activity(s.without_gaps, "sm_active_pct"), 75);
  EXPECT_EQ(find_activity(s.mean, "tensor_pct"), std::nullopt);
  EXPECT_EQ(find_activity(s.mean, "sm_issue_pct"), std::nullopt);
  ordered_json quiet = made();
  quiet["cost_pct"] = -0.12;
  EXPECT_EQ(read(quiet).cost_pct, -0.12) << "less than chance moves a median by";
  ordered_json foreign = made();
  foreign["unsampled_us"] = foreign["cost_pct"] = nullptr;
  EXPECT_EQ(read(foreign).cost_pct, std::nullopt);
}

TEST(Sampled, WhatCannotBeIsRefused) {
  const auto with = [](const char* key, const ordered_json& value) {
    ordered_json out = made();
    out[key] = value;
    return refusal(out);
  };
  EXPECT_NE(with("ranges", 0).find("/sampled/ranges"), std::string::npos);
  EXPECT_NE(with("busy_share", 0).find("/sampled/busy_share"), std::string::npos);
  EXPECT_NE(with("range_us", -1).find("/sampled/range_us"), std::string::npos);
  EXPECT_NE(with("sigma", ordered_json::object()).find("/sampled/sigma: expected the keys of mean"),
            std::string::npos);
  EXPECT_NE(with("mean", {{"sm_active_pct", -2}}).find("/sampled/mean/sm_active_pct"), std::string::npos);
}

TEST(Sampled, CountersSayTheSameOverBusyTime) {
  counter_readings counters;
  counters.values = {{"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 77.5},
                     {"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", std::nullopt}};
  sampled_activity sampled = read(made());
  sampled.range_us = 1000;
  EXPECT_EQ(counted_activity(counters, sampled, "sm_active_pct"), std::nullopt) << "durations are not there";
  // A quarter of what kernels last one by one has no warp: 1000 µs for 800 that are busy.
  counters.values.emplace_back("gpu__time_duration.sum", 1'000'000);
  EXPECT_DOUBLE_EQ(*counted_activity(counters, sampled, "sm_active_pct"), 77.5 * 1000 / 800);
  EXPECT_EQ(counted_activity(counters, sampled, "sm_issue_pct"), std::nullopt);
  EXPECT_EQ(counted_activity(counters, sampled, "tensor_pct"), std::nullopt);
  EXPECT_EQ(counted_activity(counters, sampled, "busy_pct"), std::nullopt);
}

}  // namespace
}  // namespace ablate::sampled_test
