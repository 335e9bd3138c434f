// What a record says of sampled forwards is held against itself.
#include <gtest/gtest.h>

#include "reports/verify/verify.h"
#include "tests/support/paths.h"

namespace ablate::verify::committed_sampled_forgeries_test {
namespace {

using nlohmann::ordered_json;

/// A committed record of backbones, with forwards that could have been sampled in its first case.
checked_record with_sampled() {
  checked_record out = read(test_support::source_path("results/h200/backbone_ladder/record.json"));
  ordered_json& entry = out.json["benchmarks"][0];
  const double us = entry["time_us"]["median"].get<double>();
  entry["sampled"] = {
      {"ranges", 20},
      {"interval_us", 6},
      {"range_us", 1.01 * us},
      {"range_sigma_us", 3},
      {"unsampled_us", us},
      {"cost_pct", 1},
      {"busy_share", 0.8},
      {"mean", {{"sm_active_pct", 60}, {"sm_issue_pct", 20}, {"tensor_pct", 10}, {"dram_read_pct", 2}}},
      {"sigma", {{"sm_active_pct", 1}, {"sm_issue_pct", 1}, {"tensor_pct", 1}, {"dram_read_pct", 1}}},
      {"without_gaps",
       {{"sm_active_pct", 75}, {"sm_issue_pct", 25}, {"tensor_pct", 12.5}, {"dram_read_pct", 2.5}}}};
  return out;
}

std::string findings_of(const checked_record& r) {
  std::vector<finding> found;
  check_by_itself(r, found);
  std::string out;
  for (const finding& f : found) out += f.pointer + " ";
  return out;
}

TEST(CommittedSampledForgeries, WhatHoldsIsNotFound) { EXPECT_EQ(findings_of(with_sampled()), ""); }

TEST(CommittedSampledForgeries, EachIsFoundWhereItIs) {
  const std::pair<const char*, ordered_json> forgeries[] = {{"/busy_share", 1.2},
                                                            {"/mean/sm_active_pct", 85},
                                                            {"/mean/sm_issue_pct", 65},
                                                            {"/mean/tensor_pct", 62},
                                                            {"/mean/dram_read_pct", 140},
                                                            {"/without_gaps/sm_active_pct", 76},
                                                            {"/without_gaps/tensor_pct", nullptr},
                                                            {"/cost_pct", 1.1},
                                                            {"/cost_pct", nullptr},
                                                            {"/range_us", 1.0},
                                                            {"/interval_us", 1e9}};
  for (const auto& [pointer, value] : forgeries) {
    checked_record r = with_sampled();
    r.json["benchmarks"][0]["sampled"][ordered_json::json_pointer(pointer)] = value;
    EXPECT_NE(findings_of(r).find(std::string("/benchmarks/0/sampled") + pointer + " "), std::string::npos)
        << pointer << " " << value << ": " << findings_of(r);
  }
}

TEST(CommittedSampledForgeries, ForwardsThatCouldNotBeSampledAreNoFinding) {
  checked_record r = with_sampled();
  r.json["benchmarks"][0]["sampled"] = nullptr;
  EXPECT_EQ(findings_of(r), "");
}

}  // namespace
}  // namespace ablate::verify::committed_sampled_forgeries_test
