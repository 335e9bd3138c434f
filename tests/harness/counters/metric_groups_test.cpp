#include "harness/counters/metric_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/record/combined_counters.h"
#include "harness/counters/counter_host.h"
#include "tests/support/capability.h"

namespace ablate::metric_groups_test {
namespace {

/// Why CUPTI's host half cannot be asked here, or nothing.
std::string why_no_cupti() {
  try {
    counter_host(counter_group::profiler::range, "GH100", {"smsp__inst_executed.sum"});
    return "";
  } catch (const counters_unavailable& e) {
    return e.what();
  }
}

TEST(MetricGroups, EveryGroupIsOnePassOfMetricsThatItsSiliconHas) {
  if (const std::string why = why_no_cupti(); !why.empty()) ABLATE_LACKS("cupti", why);
  int groups = 0;
  for (const counter_group& group : counters().groups)
    for (const auto& [silicon, metrics] : group.metrics) {
      ++groups;
      try {
        EXPECT_EQ(counter_host(group.how, silicon, metrics).passes(), 1u) << group.name << " on " << silicon;
      } catch (const counters_unavailable& e) {
        ADD_FAILURE() << group.name << ": " << e.what();
      }
    }
  EXPECT_GE(groups, 70);
}

/// The group's metrics that are ratios, each with what it is over.
std::vector<std::pair<std::string, std::string>> ratios_of(const std::vector<std::string>& metrics) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& metric : metrics)
    if (const std::string& over = counters().metrics.at(metric).over; !over.empty())
      out.emplace_back(metric, over);
  return out;
}

TEST(MetricGroups, EveryRatioCouldBeReadWithItsDenominatorInTheSamePass) {
  if (const std::string why = why_no_cupti(); !why.empty()) ABLATE_LACKS("cupti", why);
  for (const counter_group& group : counters().groups)
    for (const auto& [silicon, metrics] : group.metrics) {
      if (group.how != counter_group::profiler::range) continue;
      for (const auto& [ratio, over] : ratios_of(metrics)) {
        std::vector<std::string> with = metrics;
        if (std::find(with.begin(), with.end(), over) == with.end()) with.push_back(over);
        try {
          EXPECT_EQ(counter_host(group.how, silicon, with).passes(), 1u) << group.name << ": " << ratio;
        } catch (const counters_unavailable& e) {
          ADD_FAILURE() << group.name << ": " << ratio << ": " << e.what();
        }
      }
    }
}

TEST(MetricGroups, EveryGroupTellsTheDenominatorsOfItsRatios) {
  for (const counter_group& group : counters().groups)
    for (const auto& [silicon, metrics] : group.metrics) {
      if (group.how != counter_group::profiler::range) continue;
      counters_by_kernel two_kernels;
      for (const std::string& metric : metrics) two_kernels[metric] = {1, 1};
      for (const auto& [ratio, over] : ratios_of(metrics))
        EXPECT_TRUE(kernel_counters(two_kernels).of_case(ratio).value)
            << group.name << " on " << silicon << ": " << ratio << " lacks " << over;
    }
}

TEST(MetricGroups, TheTimelineIsOnePassOnEverySilicon) {
  if (const std::string why = why_no_cupti(); !why.empty()) ABLATE_LACKS("cupti", why);
  std::vector<std::string> metrics;
  for (const auto& [key, metric] : counters().timeline) metrics.push_back(metric);
  EXPECT_EQ(metrics.size(), 5u);
  for (const std::string& silicon : counters().silicon)
    EXPECT_EQ(counter_host(counter_group::profiler::pm_sampling, silicon, metrics).passes(), 1u) << silicon;
}

TEST(MetricGroups, WhatRangesAreSampledForIsOnePassOnEverySilicon) {
  if (const std::string why = why_no_cupti(); !why.empty()) ABLATE_LACKS("cupti", why);
  std::vector<std::string> metrics;
  for (const auto& [key, metric] : counters().sampled) metrics.push_back(metric);
  EXPECT_EQ(metrics.size(), 6u);
  for (const std::string& silicon : counters().silicon)
    EXPECT_EQ(counter_host(counter_group::profiler::pm_sampling, silicon, metrics).passes(), 1u) << silicon;
}

TEST(MetricGroups, AMetricThatDoesNotExistIsNamed) {
  if (const std::string why = why_no_cupti(); !why.empty()) ABLATE_LACKS("cupti", why);
  try {
    counter_host(counter_group::profiler::range, "GH100", {"smsp__inst_executed.sum", "smsp__made_up.sum"});
    FAIL() << "a metric that does not exist was taken";
  } catch (const counters_unavailable& e) {
    EXPECT_NE(std::string(e.what()).find("'smsp__made_up.sum'"), std::string::npos) << e.what();
  }
}

TEST(MetricGroups, TwoPassesAreCountedAsTwo) {
  if (const std::string why = why_no_cupti(); !why.empty()) ABLATE_LACKS("cupti", why);
  const counter_host two(counter_group::profiler::range, "GH100", {"lts__t_sector_hit_rate.pct"});
  EXPECT_EQ(two.passes(), 2u);
}

TEST(MetricGroups, EveryHardwareGroupCarriesTheFingerprint) {
  for (const counter_group& group : counters().groups) {
    if (group.how != counter_group::profiler::range) continue;
    for (const auto& [silicon, metrics] : group.metrics) {
      const auto has = [&](const char* metric) {
        return std::find(metrics.begin(), metrics.end(), metric) != metrics.end();
      };
      EXPECT_TRUE((has("smsp__inst_executed.sum") && has("sm__cycles_elapsed.max")) ||
                  has("smsp__sass_inst_executed.sum"))
          << group.name << " on " << silicon;
      EXPECT_EQ(std::set(metrics.begin(), metrics.end()).size(), metrics.size()) << group.name;
    }
  }
}

TEST(MetricGroups, EverySetBeginsWithCoreWhichHasTheHeadlineMetrics) {
  EXPECT_EQ(counter_set_names(),
            (std::vector<std::string>{"none", "core", "memory", "tensor", "stall", "full"}));
  for (const counter_set& set : counters().sets) EXPECT_EQ(set.groups.front()->name, "core") << set.name;
  for (const std::string& silicon : counters().silicon) {
    const auto& core = chosen_groups("core", silicon).front()->metrics_on(silicon);
    for (const char* metric : {"sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
                               "sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
                               "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
                               "sm__warps_active.avg.pct_of_peak_sustained_active", "dram__bytes_read.sum"})
      EXPECT_NE(std::find(core.begin(), core.end(), metric), core.end()) << metric << " on " << silicon;
  }
}

TEST(MetricGroups, FullHoldsEveryGroupOfEverySet) {
  const auto full = chosen_groups("full");
  for (const counter_set& set : counters().sets)
    for (const counter_group* group : set.groups)
      EXPECT_NE(std::find(full.begin(), full.end(), group), full.end()) << group->name;
}

TEST(ChosenGroups, AreSetsAndGroupsEachOnce) {
  EXPECT_TRUE(chosen_groups("none").empty());
  const auto chosen = chosen_groups("core,atomics,core");
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0]->name, "core");
  EXPECT_EQ(chosen[1]->name, "atomics");
  EXPECT_EQ(chosen_groups("stall", "GH100").size(), chosen_groups("stall", "GA100").size() + 1);
  EXPECT_TRUE(chosen_groups("full", "GX999").empty());
}

TEST(ChosenGroups, RefuseWhatIsNoSetOrGroup) {
  for (const char* wrong : {"", "cores", "core,", "none,core", "pm_sampling"}) {
    try {
      chosen_groups(wrong);
      FAIL() << "accepted '" << wrong << "'";
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("expected one of 'none', 'core'"), std::string::npos) << e.what();
    }
  }
}

TEST(CounterCatalog, RefusesDataThatContradictsItself) {
  const auto with = [](const std::string& groups, const std::string& sets, const std::string& metrics) {
    return R"({"silicon": ["GH100"], "timeline": {}, "sampled": {}, "groups": [)" + groups +
           R"(], "sets": [)" + sets + R"(], "metrics": {)" + metrics + "}}";
  };
  const std::string group = R"({"name": "g", "purpose": "p", "profiler": "range", "both": ["a.sum"]})";
  const std::string named = R"("a.sum": {"display": "A", "unit": "a"})";
  const std::string ratios = R"({"name": "g", "purpose": "p", "profiler": "range", "both": ["a.pct"]})";
  EXPECT_EQ(parse_counter_catalog(with(group, "", named)).groups.front().metrics_on("GH100").front(),
            "a.sum");
  EXPECT_THROW(parse_counter_catalog(with(group, "", "")), std::logic_error);
  EXPECT_THROW(parse_counter_catalog(with(ratios, "", R"("a.pct": {"display": "A", "unit": "%"})")),
               std::logic_error);
  EXPECT_EQ(parse_counter_catalog(
                with(ratios, "", R"("a.pct": {"display": "A", "unit": "%", "of": "a.sum", "over": "b.sum"})"))
                .metrics.at("a.pct")
                .scale,
            100);
  EXPECT_THROW(
      parse_counter_catalog(with(group, "", R"("a.sum": {"display": "A", "unit": "a", "over": "b.sum"})")),
      std::logic_error);
  EXPECT_THROW(
      parse_counter_catalog(with(ratios, "", R"("a.pct": {"display": "A", "unit": "%", "of": "a.sum"})")),
      std::logic_error);
  EXPECT_THROW(
      parse_counter_catalog(with(group, R"({"name": "s", "purpose": "p", "groups": ["lost"]})", named)),
      std::logic_error);
  EXPECT_THROW(
      parse_counter_catalog(with(R"({"name": "g", "purpose": "p", "profiler": "range"})", "", named)),
      std::logic_error);
}

}  // namespace
}  // namespace ablate::metric_groups_test
