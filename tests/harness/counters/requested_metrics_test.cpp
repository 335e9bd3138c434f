#include "harness/counters/requested_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "harness/counters/counter_host.h"
#include "tests/support/capability.h"
#include "tests/support/refusal.h"

namespace ablate::requested_metrics_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using names = std::vector<std::string>;

class RequestedMetrics : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      counter_host(counter_group::profiler::range, "GH100", {"smsp__inst_executed.sum"});
    } catch (const counters_unavailable& why) {
      ABLATE_LACKS("counters", why.what());
    }
  }
};

std::string refusal_of(const names& metrics, const std::string& silicon) {
  return test_support::refusal_from<metric_refused>([&] { one_pass_groups(metrics, silicon); });
}

TEST_F(RequestedMetrics, AreGroupsOfOnePassWithTheFingerprint) {
  const auto groups =
      one_pass_groups({"sm__inst_executed_pipe_fp64.sum", "sm__inst_executed_pipe_fp64.sum"}, "GH100");
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].name, "metrics");
  EXPECT_EQ(groups[0].metrics_on("GH100"),
            (names{"smsp__inst_executed.sum", "sm__cycles_elapsed.max", "gpu__time_duration.sum",
                   "sm__inst_executed_pipe_fp64.sum"}));
  EXPECT_TRUE(groups[0].metrics_on("GA100").empty());
}

TEST_F(RequestedMetrics, OfAUsersFileKeepItsName) {
  const auto groups =
      one_pass_groups({"smsp__warps_issue_stalled_wait.sum", "smsp__sass_inst_executed_op_global_ld.sum"},
                      "GH100", "mine", "a purpose");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "mine");
  EXPECT_EQ(groups[1].name, "mine_2");
  EXPECT_EQ(groups[1].purpose, "a purpose");
}

TEST_F(RequestedMetrics, ThatDoNotFitOnePassAreDividedAmongSeveral) {
  const names many = {"smsp__warps_issue_stalled_long_scoreboard.sum",
                      "smsp__warps_issue_stalled_barrier.sum",
                      "smsp__warps_issue_stalled_wait.sum",
                      "smsp__warps_issue_stalled_membar.sum",
                      "smsp__warps_issue_stalled_lg_throttle.sum",
                      "smsp__warps_issue_stalled_drain.sum",
                      "smsp__sass_inst_executed_op_global_ld.sum",
                      "lts__t_sectors_op_write.sum"};
  for (const std::string silicon : {"GA100", "GH100"}) {
    const auto groups = one_pass_groups(many, silicon);
    EXPECT_GE(groups.size(), 3u);
    names all;
    for (const counter_group& group : groups) {
      const names& metrics = group.metrics_on(silicon);
      EXPECT_EQ(counter_host(group.how, silicon, metrics).passes(), 1u) << group.name << " on " << silicon;
      all.insert(all.end(), metrics.begin(), metrics.end());
    }
    for (const std::string& metric : many) EXPECT_THAT(all, Contains(metric).Times(1));
    EXPECT_EQ(groups.back().name, "metrics_" + std::to_string(groups.size()));
    EXPECT_EQ(groups.back().metrics_on(silicon).front(), "smsp__sass_inst_executed.sum");
  }
}

TEST_F(RequestedMetrics, OfTheFingerprintAloneAreItsGroup) {
  const auto groups = one_pass_groups({"sm__cycles_elapsed.max"}, "GA100");
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].metrics_on("GA100").size(), 3u);
}

TEST_F(RequestedMetrics, ThatTheSiliconLacksAreRefusedWithNearNames) {
  EXPECT_THAT(refusal_of({"lts__t_sectors_op_wirte.sum"}, "GH100"),
              AllOf(HasSubstr("GH100 has no metric 'lts__t_sectors_op_wirte.sum'"),
                    HasSubstr("'lts__t_sectors_op_write.sum'"), Not(HasSubstr("\n"))));
  EXPECT_THAT(refusal_of({"smsp__inst_executed"}, "GH100"), HasSubstr("'smsp__inst_executed.sum'"));
  EXPECT_THAT(refusal_of({"smsp__inst_executed_pipe_tma.sum"}, "GA100"), HasSubstr("GA100 has no metric"));
  EXPECT_EQ(refusal_of({"x"}, "GA100"), "GA100 has no metric 'x'; CUPTI knows no name near it");
}

TEST_F(RequestedMetrics, OfMoreThanOnePassAreRefusedWithTheirPasses) {
  EXPECT_THAT(refusal_of({"lts__t_sector_hit_rate.pct"}, "GH100"),
              HasSubstr("'lts__t_sector_hit_rate.pct' needs 2 passes on GH100"));
}

TEST_F(RequestedMetrics, OfAnUnknownSiliconAreNotAskedFor) {
  EXPECT_THROW(one_pass_groups({"smsp__inst_executed.sum"}, "GX999"), counters_unavailable);
}

[[noreturn]] void add_and_choose() {
  counter_group group;
  group.name = "added_for_a_test";
  group.metrics["GH100"] = {"test__made_up.sum", "test__made_up.avg.pct_of_peak_sustained_elapsed",
                            "dram__bytes_read.sum"};
  const std::string dram = counters().metrics.at("dram__bytes_read.sum").display;
  const counter_group* core = chosen_groups("core").front();
  add_counter_groups({group});
  const auto chosen = chosen_groups("core,added_for_a_test");
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0], core) << "what was chosen before stays where it is";
  EXPECT_TRUE(chosen[1]->asked_for);
  EXPECT_FALSE(chosen[0]->asked_for);
  EXPECT_EQ(counters().metrics.at("test__made_up.sum").display, "test__made_up.sum");
  EXPECT_EQ(counters().metrics.at("test__made_up.avg.pct_of_peak_sustained_elapsed").unit, "%");
  EXPECT_EQ(counters().metrics.at("dram__bytes_read.sum").display, dram);
  EXPECT_TRUE(chosen_groups("added_for_a_test", "GA100").empty());
  for (const char* taken : {"added_for_a_test", "core", "memory_l2", "none"}) {
    group.name = taken;
    EXPECT_THROW(add_counter_groups({group}), std::invalid_argument) << taken;
  }
  std::exit(::testing::Test::HasFailure() ? 1 : 0);
}

// In a child: what is added stays for the process, and other tests look at all groups.
TEST(AddedGroups, AreChosenByTheirNamesAndDefinedByTheirMetricsNames) {
  EXPECT_EXIT(add_and_choose(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace ablate::requested_metrics_test
