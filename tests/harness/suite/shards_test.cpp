#include "harness/suite/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text/bad_input.h"
#include "harness/suite/estimate.h"
#include "tests/harness/cli/checked_suite.h"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"

namespace ablate::shards_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

suite made_suite(const std::string& cases, const std::string& more = "") {
  return test_support::suite_in("{\"name\": \"made\", \"description\": \"d\", " + more + "\"cases\": [" +
                                cases + "]}");
}

std::vector<suite_case> cases_of(const suite& from) {
  return expand(from, {}, input_library(from.seed, from.point_files, {}));
}

const char* const eight = R"({"operation": "made_sum", "variants": ["plain", "staged"],
    "axes": {"points": [1, 2, 3, 4, 5, 6, 7, 8]}, "cache": ["cold-clean", "hot"]})";

/// Of a made case: its points.
std::vector<double> seconds_of_points(const std::vector<suite_case>& cases) {
  std::vector<double> out;
  for (const suite_case& c : cases)
    out.push_back(c.ceiling.empty() ? static_cast<double>(c.axes.integer("points")) : 0.5);
  return out;
}

TEST(Shards, KeepVariantsAndCacheStatesOfTheSameAxesTogether) {
  const suite from = made_suite(eight);
  const std::vector<suite_case> cases = cases_of(from);
  const shard_plan plan = divided(cases, from, seconds_of_points(cases), 3, "");
  ASSERT_EQ(plan.bundles.size(), 8u);
  for (const shard_plan::bundle& b : plan.bundles) EXPECT_EQ(b.cases, 4u);
  std::map<std::string, std::set<long>> shards;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].ceiling.empty()) shards[cases[i].axes.word("points")].insert(plan.shards[i]);
  for (const auto& [points, of] : shards) EXPECT_EQ(of.size(), 1u) << points;
}

TEST(Shards, GiveTheLongestBundleToTheEmptiestShard) {
  const suite from = made_suite(eight);
  const std::vector<suite_case> cases = cases_of(from);
  const shard_plan plan = divided(cases, from, seconds_of_points(cases), 3, "");
  std::vector<long> shards;
  for (const shard_plan::bundle& b : plan.bundles) shards.push_back(b.shard);
  // 8 to the first, 7 to the second, 6 and 5 to the third, 4 to the second, 3 to the first, then 2 and 1 to
  // the shards that have 11 each.
  EXPECT_THAT(shards, ElementsAre(2, 1, 1, 2, 3, 3, 2, 1));
  EXPECT_DOUBLE_EQ(plan.seconds_of(1) - plan.calibration_seconds, 4 * 13);
  EXPECT_DOUBLE_EQ(plan.bound_seconds() - plan.calibration_seconds, 4 * 12);
}

TEST(Shards, ShareTheirBundlesAmongTheirDevices) {
  const suite from = made_suite(eight);
  const std::vector<suite_case> cases = cases_of(from);
  shard_plan plan = divided(cases, from, seconds_of_points(cases), 1, "");
  plan.devices = 3;
  EXPECT_DOUBLE_EQ(plan.seconds_of(1) - plan.calibration_seconds, 4 * 13) << "as three shards would";
  EXPECT_DOUBLE_EQ(plan.bound_seconds() - plan.calibration_seconds, 4 * 12);
}

TEST(Shards, EachRunTheCalibrations) {
  const suite from = made_suite(eight);
  std::vector<suite_case> cases = cases_of(from);
  const shard_plan plan = divided(cases, from, seconds_of_points(cases), 3, "");
  const auto calibrations = [](const std::vector<suite_case>& of) {
    return std::count_if(of.begin(), of.end(), [](const suite_case& c) { return !c.ceiling.empty(); });
  };
  const auto all = calibrations(cases);
  ASSERT_GT(all, 0);
  keep_shard(cases, plan, 2);
  EXPECT_EQ(calibrations(cases), all);
  EXPECT_EQ(cases.size(), static_cast<std::size_t>(all) + plan.cases_of(2));
}

TEST(Shards, KeepTogetherWhatAComparisonJoins) {
  const char* const both = R"({"operation": "made_sum", "variants": ["plain"],
      "axes": {"points": [1, 2], "mode": ["int", "float"]}})";
  EXPECT_EQ(divided(cases_of(made_suite(both)), made_suite(both),
                    std::vector<double>(cases_of(made_suite(both)).size(), 1), 2, "")
                .bundles.size(),
            4u);
  suite joined = made_suite(both);
  joined.joins = {{{"made_sum"}, {"mode"}}};
  const std::vector<suite_case> cases = cases_of(joined);
  EXPECT_EQ(divided(cases, joined, std::vector<double>(cases.size(), 1), 2, "").bundles.size(), 2u);
}

TEST(Shards, KeepAnOperationTogetherIfAsked) {
  suite from = made_suite(eight);
  const std::vector<suite_case> cases = cases_of(from);
  const std::string divided_hash = divided(cases, from, seconds_of_points(cases), 3, "").hash;
  from.keeps_operations_together = true;
  const shard_plan plan = divided(cases, from, seconds_of_points(cases), 3, "");
  ASSERT_EQ(plan.bundles.size(), 1u);
  EXPECT_EQ(plan.bundles[0].cases, 32u);
  EXPECT_NE(plan.hash, divided_hash) << "shards of the two must not be merged";
}

TEST(Shards, ArePlannedAlikeWhateverTheChipAtHand) {
  const suite from = made_suite(eight);
  const input_library inputs(1, {}, {});
  const std::vector<suite_case> on_hopper = expand(from, {false, 90}, inputs),
                                on_ampere = expand(from, {false, 80}, inputs);
  EXPECT_NE(on_hopper.size(), on_ampere.size()) << "they differ in calibrations";
  EXPECT_EQ(divided(on_hopper, from, seconds_of_points(on_hopper), 3, "a").hash,
            divided(on_ampere, from, seconds_of_points(on_ampere), 3, "a").hash);
  EXPECT_NE(divided(on_hopper, from, seconds_of_points(on_hopper), 3, "b").hash,
            divided(on_hopper, from, seconds_of_points(on_hopper), 3, "a").hash);
  EXPECT_NE(divided(on_hopper, from, seconds_of_points(on_hopper), 4, "a").hash,
            divided(on_hopper, from, seconds_of_points(on_hopper), 3, "a").hash);
}

TEST(Shards, TakeTimesOfRecordsThatHaveThem) {
  const suite from = made_suite(eight);
  const std::vector<suite_case> cases = cases_of(from);
  try {
    shard_seconds(cases, input_library(1, {}, {}), *find_chip("h200"), from.sampling,
                  {test_support::source_path("tests/reports/data/small_record.json")});
    FAIL() << "an older record has none";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(), HasSubstr("small_record.json: /benchmarks: expected cases with elapsed_s"));
  }
}

/// A plan keeps what it promises of n shards.
void expect_whole_plan(const std::vector<suite_case>& cases, const suite& from,
                       const std::vector<double>& seconds, long n) {
  const std::string where = from.name + ", " + std::to_string(n) + " shards";
  const shard_plan plan = divided(cases, from, seconds, n, "");
  std::multiset<std::string> all, of_shards;
  const std::vector<std::size_t> numbers = bundle_numbers(cases, from);
  for (const suite_case& c : cases)
    if (c.ceiling.empty()) all.insert(c.id);
  std::map<std::size_t, std::set<long>> shards_of_bundle;
  double slowest = 0, slowest_without_one = 0, sum = 0;
  for (long shard = 1; shard <= n; ++shard) {
    std::vector<suite_case> kept = cases;
    keep_shard(kept, plan, shard);
    std::set<std::string> names;
    for (const suite_case& c : kept)
      if (c.ceiling.empty()) names.insert(c.id);
    of_shards.insert(names.begin(), names.end());
    for (std::size_t i = 0; i < cases.size(); ++i)
      if (names.contains(cases[i].id)) shards_of_bundle[numbers[i]].insert(shard);
    const double of_shard = plan.seconds_of(shard) - plan.calibration_seconds;
    double shortest = of_shard;
    for (const shard_plan::bundle& b : plan.bundles)
      if (b.shard == shard) shortest = std::min(shortest, b.seconds);
    slowest = std::max(slowest, of_shard);
    slowest_without_one = std::max(slowest_without_one, of_shard - shortest);
    sum += of_shard;
  }
  EXPECT_EQ(of_shards, all) << where << ": each case once";
  for (const auto& [bundle, shards] : shards_of_bundle) EXPECT_EQ(shards.size(), 1u) << where << ": cut";
  // Where bundles are few, no shard has one too many: without its shortest, each is below the mean.
  const double mean = sum / static_cast<double>(n);
  EXPECT_TRUE(slowest <= 1.2 * mean || slowest_without_one <= mean + 1e-6)
      << where << ": " << slowest << " s, mean " << mean;
}

TEST(CommittedSuitesInShards, AreWholeAndBalancedForOneToNine) {
  for (const auto& file : std::filesystem::directory_iterator(test_support::source_path("suites"))) {
    if (file.path().extension() != ".json" || file.path().filename() == "schema.json") continue;
    const suite from = with_checked_report(read_suite(file.path()));
    const input_library inputs(from.seed, from.point_files, {});
    const chip& on = *find_chip("h200");
    const std::vector<suite_case> cases = expand(from, {false, on.compute_capability}, inputs);
    const std::vector<double> seconds = estimated_seconds(cases, inputs, on, from.sampling);
    for (long n = 1; n <= 9; ++n) expect_whole_plan(cases, from, seconds, n);
  }
}

}  // namespace
}  // namespace ablate::shards_test
