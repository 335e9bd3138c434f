#include "base/record/combined_counters.h"

#include <gtest/gtest.h>

#include <limits>

namespace ablate::combined_counters_test {
namespace {

using nlohmann::ordered_json;

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

double of_case(const char* counter, counters_by_kernel columns) {
  const combined_counter combined = kernel_counters(std::move(columns)).of_case(counter);
  EXPECT_TRUE(combined.value) << counter << ": " << combined.why_not;
  return combined.value.value_or(no_number);
}

std::string why_not(const char* counter, counters_by_kernel columns) {
  const combined_counter combined = kernel_counters(std::move(columns)).of_case(counter);
  EXPECT_FALSE(combined.value) << counter;
  return combined.why_not;
}

TEST(CombinedCounters, CountsAndCyclesAddUp) {
  EXPECT_EQ(of_case("smsp__inst_executed.sum", {{"smsp__inst_executed.sum", {100, 300}}}), 400);
  EXPECT_EQ(of_case("sm__cycles_elapsed.max", {{"sm__cycles_elapsed.max", {1000, 3000}}}), 4000);
  EXPECT_EQ(of_case("sm__cycles_active.avg", {{"sm__cycles_active.avg", {7, 5}}}), 12);
}

TEST(CombinedCounters, AHitRateIsHitsOverLookUpsHoweverLongAKernelTakes) {
  EXPECT_DOUBLE_EQ(of_case("lts__t_request_hit_rate.pct", {{"lts__t_request_hit_rate.pct", {90, 10}},
                                                           {"lts__t_requests.sum", {1000, 3000}},
                                                           {"sm__cycles_elapsed.max", {9000, 1000}}}),
                   30);
}

TEST(CombinedCounters, OccupancyIsWarpsOverActiveCycles) {
  EXPECT_DOUBLE_EQ(of_case("sm__warps_active.avg.pct_of_peak_sustained_active",
                           {{"sm__warps_active.avg.pct_of_peak_sustained_active", {80, 20}},
                            {"sm__cycles_active.avg", {100, 300}},
                            {"sm__cycles_elapsed.max", {1000, 400}}}),
                   35);
}

TEST(CombinedCounters, ElapsedCyclesFollowFromTheActiveOnesAndTheirShare) {
  // Elapsed: 200 and 1000.
  EXPECT_DOUBLE_EQ(of_case("sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
                           {{"sm__inst_executed.avg.pct_of_peak_sustained_elapsed", {60, 30}},
                            {"sm__cycles_active.avg", {100, 900}},
                            {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", {50, 90}}}),
                   35);
}

TEST(CombinedCounters, ActiveCyclesOfASchedulerFollowFromItsIssuesPerCycle) {
  // Elapsed 1000 and 1000, issues 100 and 400, a scheduler active for 200 and 500 cycles.
  EXPECT_DOUBLE_EQ(of_case("smsp__issue_active.avg.pct_of_peak_sustained_active",
                           {{"smsp__issue_active.avg.pct_of_peak_sustained_active", {50, 80}},
                            {"smsp__issue_active.avg.pct_of_peak_sustained_elapsed", {10, 40}},
                            {"sm__cycles_active.avg", {900, 800}},
                            {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed", {90, 80}}}),
                   100.0 * 500 / 700);
}

TEST(CombinedCounters, MemoryCyclesFollowFromTheirClockAndTheTime) {
  // 3000 and 1000 cycles of DRAM.
  EXPECT_DOUBLE_EQ(of_case("dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
                           {{"dram__bytes_read.sum.pct_of_peak_sustained_elapsed", {20, 60}},
                            {"dram__cycles_elapsed.avg.per_second", {3e9, 2e9}},
                            {"gpu__time_duration.sum", {1000, 500}}}),
                   30);
}

TEST(CombinedCounters, ARateIsWeightedByTime) {
  EXPECT_DOUBLE_EQ(
      of_case("dram__bytes_read.sum.per_second",
              {{"dram__bytes_read.sum.per_second", {1e12, 3e12}}, {"gpu__time_duration.sum", {1000, 3000}}}),
      2.5e12);
}

TEST(CombinedCounters, AKernelWithoutADenominatorHasNoShareInTheRatio) {
  EXPECT_DOUBLE_EQ(of_case("l1tex__t_sector_hit_rate.pct", {{"l1tex__t_sector_hit_rate.pct", {no_number, 40}},
                                                            {"l1tex__t_sectors.sum", {0, 10}}}),
                   40);
  EXPECT_EQ(why_not("l1tex__t_sector_hit_rate.pct",
                    {{"l1tex__t_sector_hit_rate.pct", {0, 0}}, {"l1tex__t_sectors.sum", {0, 0}}}),
            "several kernels; l1tex__t_sectors.sum is 0 in all of them");
}

TEST(CombinedCounters, WhatTheRecordLacksIsNamed) {
  const char* atomic_unit = "lts__d_atomic_input_cycles_active.avg.pct_of_peak_sustained_elapsed";
  EXPECT_EQ(why_not(atomic_unit, {{atomic_unit, {3, 0}}, {"sm__cycles_elapsed.max", {100, 200}}}),
            "several kernels; the record lacks lts__cycles_elapsed.avg");
  EXPECT_EQ(
      why_not("sm__warps_active.avg.per_cycle_active", {{"sm__warps_active.avg.per_cycle_active", {3, 4}},
                                                        {"sm__cycles_active.avg", {100, no_number}}}),
      "several kernels; the record lacks sm__cycles_active.avg");
  EXPECT_EQ(why_not("some_other.ratio", {{"some_other.ratio", {1, 2}}}),
            "several kernels; the denominator is not known");
}

TEST(CombinedCounters, OneKernelIsTheCase) {
  EXPECT_EQ(of_case("some_other.ratio", {{"some_other.ratio", {1.5}}}), 1.5);
}

TEST(CombinedCounters, AValueThatIsMissingIsMissingInTheSum) {
  EXPECT_EQ(why_not("smsp__inst_executed.sum", {{"smsp__inst_executed.sum", {1, no_number}}}), "");
  EXPECT_EQ(why_not("lts__t_request_hit_rate.pct",
                    {{"lts__t_request_hit_rate.pct", {50, no_number}}, {"lts__t_requests.sum", {1, 1}}}),
            "");
}

/// Two kernels as an older record has them: the longest one's cycles, ratios weighted by them.
ordered_json older_entry() {
  return ordered_json::parse(R"({"counters": {
    "values": {"sm__cycles_elapsed.max": 9000, "lts__t_requests.sum": 4000, "lts__t_request_hit_rate.pct": 82,
               "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": 12, "smsp__inst_executed.sum": null},
    "missing": {"smsp__inst_executed.sum": "made to be missing"},
    "kernels": [
      {"name": "a", "values": {"sm__cycles_elapsed.max": 9000, "lts__t_requests.sum": 1000,
        "lts__t_request_hit_rate.pct": 90, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": 13,
        "smsp__inst_executed.sum": null}},
      {"name": "b", "values": {"sm__cycles_elapsed.max": 1000, "lts__t_requests.sum": 3000,
        "lts__t_request_hit_rate.pct": 10, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed": 3,
        "smsp__inst_executed.sum": 7}}]}})");
}

TEST(CombinedCounters, AnOlderRecordIsReadRight) {
  ordered_json entry = older_entry();
  reports::combine_counters(entry);
  const ordered_json &values = entry["counters"]["values"], &missing = entry["counters"]["missing"];
  EXPECT_EQ(values["sm__cycles_elapsed.max"], 10000);
  EXPECT_EQ(values["lts__t_request_hit_rate.pct"], 30);
  EXPECT_TRUE(values["lts__t_sectors.avg.pct_of_peak_sustained_elapsed"].is_null());
  EXPECT_EQ(missing["lts__t_sectors.avg.pct_of_peak_sustained_elapsed"],
            "several kernels; the record lacks lts__cycles_elapsed.avg");
  EXPECT_EQ(missing["smsp__inst_executed.sum"], "made to be missing");
  const ordered_json once = entry;
  reports::combine_counters(entry);
  EXPECT_EQ(entry, once);
}

TEST(CombinedCounters, WhatIsNoNumberIsLeftToWhoReadsIt) {
  ordered_json entry = older_entry();
  entry["counters"]["values"]["lts__t_requests.sum"] = "many";
  const ordered_json before = entry;
  reports::combine_counters(entry);
  EXPECT_EQ(entry["counters"]["values"], before["counters"]["values"]);
}

}  // namespace
}  // namespace ablate::combined_counters_test
