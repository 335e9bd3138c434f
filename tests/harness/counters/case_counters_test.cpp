#include "harness/counters/case_counters.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ablate::case_counters_test {
namespace {

constexpr const char* hit_rate = "lts__t_request_hit_rate.pct";
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

group_reading two_kernels() {
  group_reading core;
  core.group = "core";
  core.metrics = {"smsp__inst_executed.sum", "sm__cycles_elapsed.max", hit_rate, "lts__t_requests.sum"};
  core.by_kernel = {{100, 1000, 50, 600}, {300, 3000, 90, 200}};
  return core;
}

TEST(CaseCounters, AddUpWhatAddsUpAndFormRatiosOfSums) {
  const auto json = to_json(counters_of("core", {two_kernels()}, {"first", "second"}, {12.5, 150}));
  EXPECT_EQ(json.at("set"), "core");
  EXPECT_TRUE(json.at("reason").is_null());
  EXPECT_EQ(json.at("values").at("smsp__inst_executed.sum"), 400.0);
  EXPECT_EQ(json.at("values").at("sm__cycles_elapsed.max"), 4000.0);
  EXPECT_EQ(json.at("values").at(hit_rate), 60.0) << "by look-ups, not by cycles";
  EXPECT_TRUE(json.at("missing").empty());
  EXPECT_EQ(json.at("kernels").size(), 2u);
  EXPECT_EQ(json.at("kernels")[1].at("name"), "second");
  EXPECT_EQ(json.at("kernels")[1].at("values").at(hit_rate), 90.0);
  EXPECT_EQ(json.at("coherent"), true);
  EXPECT_EQ(json.at("output"), "ok");
  EXPECT_EQ(json.at("host_ms"), 12.5);
  EXPECT_EQ(json.at("open_ms"), 150.0);
}

TEST(CaseCounters, ANumberThatIsMissingIsNullWithAReasonAndSoIsItsSum) {
  group_reading core = two_kernels();
  core.by_kernel[1][0] = no_number;
  const auto json = to_json(counters_of("core", {core}, {"first", "second"}, {}));
  EXPECT_TRUE(json.at("values").at("smsp__inst_executed.sum").is_null());
  EXPECT_NE(json.at("missing").at("smsp__inst_executed.sum").get<std::string>().find("'core'"),
            std::string::npos);
  EXPECT_EQ(json.at("missing").size(), 1u);
  EXPECT_EQ(json.at("kernels")[0].at("values").at("smsp__inst_executed.sum"), 100.0);
  EXPECT_TRUE(json.at("kernels")[1].at("values").at("smsp__inst_executed.sum").is_null());
}

TEST(CaseCounters, AGroupThatFailedIsNullAndTheOthersStand) {
  group_reading lost;
  lost.group = "lost";
  lost.metrics = {"smsp__inst_executed.sum", "lost.sum"};
  lost.failure = "the counters are busy";
  const auto json = to_json(counters_of("x", {lost, two_kernels()}, {"first", "second"}, {}));
  EXPECT_TRUE(json.at("reason").is_null());
  EXPECT_TRUE(json.at("values").at("lost.sum").is_null());
  EXPECT_EQ(json.at("missing").at("lost.sum"), "the counters are busy");
  EXPECT_EQ(json.at("values").at("smsp__inst_executed.sum"), 400.0);
  EXPECT_FALSE(json.at("missing").contains("smsp__inst_executed.sum"));

  const auto nothing = to_json(counters_of("x", {lost}, {"first", "second"}, {}));
  EXPECT_EQ(nothing.at("reason"), "the counters are busy");
  EXPECT_TRUE(nothing.at("kernels").empty());
}

TEST(CaseCounters, TheFirstGroupThatHasAMetricGivesIt) {
  group_reading again = two_kernels();
  again.group = "again";
  again.by_kernel[0][2] = 0;
  const auto json = to_json(counters_of("x", {two_kernels(), again}, {"first", "second"}, {}));
  EXPECT_EQ(json.at("values").at(hit_rate), 60.0);
  EXPECT_EQ(json.at("kernels")[0].at("values").at(hit_rate), 50.0);
}

TEST(CaseCounters, GroupsThatSawOtherWorkAreNotCoherent) {
  group_reading other = two_kernels();
  other.by_kernel[0][0] = 101;
  EXPECT_EQ(to_json(counters_of("x", {two_kernels(), other}, {"a", "b"}, {})).at("coherent"), true);
  other.by_kernel[0][0] = 103;
  EXPECT_EQ(to_json(counters_of("x", {two_kernels(), other}, {"a", "b"}, {})).at("coherent"), false);
  other.by_kernel[0][0] = no_number;
  EXPECT_EQ(to_json(counters_of("x", {two_kernels(), other}, {"a", "b"}, {})).at("coherent"), false);

  group_reading patched;
  patched.metrics = {"smsp__sass_inst_executed.sum"};
  patched.by_kernel = {{100}, {300}};
  EXPECT_EQ(to_json(counters_of("x", {two_kernels(), patched}, {"a", "b"}, {})).at("coherent"), true);
}

TEST(CaseCounters, ARatioWithoutItsDenominatorIsOfEachKernelOnlyAndSaysSo) {
  const char* bytes_per_sector = "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio";
  const char* sectors = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum";
  group_reading patched;
  patched.metrics = {bytes_per_sector};
  patched.by_kernel = {{10}, {30}};
  const auto alone = to_json(counters_of("x", {two_kernels(), patched}, {"a", "b"}, {}));
  EXPECT_TRUE(alone.at("values").at(bytes_per_sector).is_null());
  EXPECT_EQ(alone.at("missing").at(bytes_per_sector),
            std::string("several kernels; the record lacks ") + sectors);
  EXPECT_EQ(alone.at("kernels")[1].at("values").at(bytes_per_sector), 30.0);

  patched.metrics = {bytes_per_sector, sectors};
  patched.by_kernel = {{10, 100}, {30, 300}};
  const auto json = to_json(counters_of("x", {two_kernels(), patched}, {"a", "b"}, {}));
  EXPECT_EQ(json.at("values").at(bytes_per_sector), 25.0);
  EXPECT_TRUE(json.at("missing").empty());
}

TEST(CaseCounters, WithoutAnyEveryMetricIsNullWithTheReason) {
  const auto json = to_json(nothing_counted("core", "no permission", {"a.sum", "b.pct"}));
  EXPECT_EQ(json.at("set"), "core");
  EXPECT_EQ(json.at("reason"), "no permission");
  EXPECT_TRUE(json.at("values").at("b.pct").is_null());
  EXPECT_EQ(json.at("missing").at("b.pct"), "no permission");
}

}  // namespace
}  // namespace ablate::case_counters_test
