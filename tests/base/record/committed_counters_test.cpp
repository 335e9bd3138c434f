// The percentages of several kernels in every committed record, as they are read and as older programs wrote
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/record/counter_definitions.h"
#include "base/record/record.h"
#include "harness/counters/metric_groups.h"
#include "tests/support/committed_records.h"

namespace ablate::committed_counters_test {
namespace {

using reading = std::optional<double>;

/// Every case of every committed record that has counters, read once.
class CommittedCounters : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const auto& path : test_support::committed_records())
      for (measured_case& c : read_record(path).cases)
        if (!c.counters.kernels.empty()) cases_.push_back(std::move(c));
  }
  static void TearDownTestSuite() { cases_.clear(); }

  static inline std::vector<measured_case> cases_;
};

/// Kernel by kernel; empty where one of them lacks it.
std::vector<double> column(const measured_case& c, std::string_view counter) {
  std::vector<double> out;
  for (const auto& kernel : c.counters.kernels) {
    const reading value = find_counter(kernel.values, counter);
    if (!value) return {};
    out.push_back(*value);
  }
  return out;
}

double sum(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out += value;
  return out;
}

/// As programs before these definitions combined every ratio.
reading weighted_by_elapsed_cycles(const measured_case& c, std::string_view counter) {
  const std::vector<double> values = column(c, counter), cycles = column(c, "sm__cycles_elapsed.max");
  if (values.empty() || cycles.empty()) return std::nullopt;
  double out = 0;
  for (std::size_t i = 0; i < values.size(); ++i) out += values[i] * cycles[i];
  return out / sum(cycles);
}

/// Holds the ratio of the case against columns of its numerator and denominator.
void expect_sums_over_sums(const measured_case& c, const char* ratio, std::vector<double> of,
                           std::vector<double> over, double scale) {
  const reading read = c.counters.value(ratio);
  if (of.empty() || over.empty() || !(sum(over) > 0)) return;
  ASSERT_TRUE(read) << c.name << ": " << ratio;
  // Records keep six digits.
  EXPECT_NEAR(*read, scale * sum(of) / sum(over), 2e-5 * std::fabs(*read) + 1e-9) << c.name << ": " << ratio;
}

TEST_F(CommittedCounters, RatiosOfCasesAreSumsOverSums) {
  std::size_t several = 0;
  for (const measured_case& c : cases_) {
    if (c.counters.kernels.size() < 2) continue;
    ++several;
    expect_sums_over_sums(c, "lts__t_request_hit_rate.pct", column(c, "lts__t_requests_lookup_hit.sum"),
                          column(c, "lts__t_requests.sum"), 100);
    expect_sums_over_sums(c, "dram__bytes_read.sum.per_second", column(c, "dram__bytes_read.sum"),
                          column(c, "gpu__time_duration.sum"), 1e9);
    const std::vector<double> active = column(c, "sm__cycles_active.avg");
    std::vector<double> warps = column(c, "sm__warps_active.avg.per_cycle_active"), elapsed = active;
    const std::vector<double> share = column(c, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed");
    for (std::size_t i = 0; i < warps.size(); ++i) warps[i] *= active[i];
    for (std::size_t i = 0; i < share.size(); ++i) elapsed[i] /= share[i] / 100;
    expect_sums_over_sums(c, "sm__warps_active.avg.per_cycle_active", warps, active, 1);
    if (!share.empty())
      expect_sums_over_sums(c, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", active, elapsed, 100);
    EXPECT_EQ(c.counters.value("sm__cycles_elapsed.max"), sum(column(c, "sm__cycles_elapsed.max"))) << c.name;
  }
  EXPECT_GE(several, 2000u);
}

TEST_F(CommittedCounters, EveryRatioIsGivenOrSaysWhichDenominatorTheRecordLacks) {
  for (const measured_case& c : cases_) {
    for (const auto& [counter, value] : c.counters.values) {
      if (value) continue;
      const auto why = std::find_if(c.counters.missing.begin(), c.counters.missing.end(),
                                    [&name = counter](const auto& reason) { return reason.first == name; });
      ASSERT_NE(why, c.counters.missing.end()) << c.name << ": " << counter;
      EXPECT_TRUE(why->second.starts_with("several kernels; ")) << c.name << ": " << why->second;
    }
  }
}

TEST_F(CommittedCounters, WeighingByElapsedCyclesWasWrongByTensOfPoints) {
  double hit_rate = 0, occupancy = 0;
  for (const measured_case& c : cases_) {
    const auto worse = [&](const char* counter, double& worst) {
      const reading before = weighted_by_elapsed_cycles(c, counter), now = c.counters.value(counter);
      if (before && now) worst = std::max(worst, std::fabs(*before - *now));
    };
    worse("lts__t_request_hit_rate.pct", hit_rate);
    worse("sm__warps_active.avg.pct_of_peak_sustained_active", occupancy);
  }
  EXPECT_GT(hit_rate, 20);
  EXPECT_GT(occupancy, 10);
}

/// Whether one group, a launch of its own, reads all of these, and no group before it reads any: a record has
/// the first group's value.
bool are_of_one_pass(const std::vector<std::string>& metrics) {
  std::set<std::string> groups;
  for (const std::string& metric : metrics)
    for (const counter_group& group : counters().groups) {
      const auto& read = group.metrics_on(counters().silicon.back());
      if (std::find(read.begin(), read.end(), metric) == read.end()) continue;
      groups.insert(group.name);
      break;
    }
  return groups.size() == 1;
}

/// A ratio's definition holds for every kernel that was ever read: the hardware's own ratio is its numerator
/// over its denominator, and what is derived is what was read.
TEST_F(CommittedCounters, EveryDefinitionAgreesWithTheHardware) {
  for (const auto& [counter, defined] : defined_counters()) {
    if (defined.of.empty() || defined.over == "gpu__time_duration.sum") continue;
    if (!are_of_one_pass({counter, defined.of, defined.over})) continue;
    for (const measured_case& c : cases_) {
      const std::vector<double> ratio = column(c, counter), of = column(c, defined.of),
                                over = column(c, defined.over);
      if (ratio.empty() || of.empty() || over.empty()) continue;
      for (std::size_t i = 0; i < ratio.size(); ++i) {
        const double made = over[i] > 0 ? defined.scale * of[i] / over[i] : 0;
        // Two groups of one case may have seen other work where it depends on the order of threads.
        EXPECT_NEAR(ratio[i], made, 0.01 * std::fabs(made) + 1e-9) << c.name << ": " << counter;
      }
    }
  }
}

}  // namespace
}  // namespace ablate::committed_counters_test
