#include "reports/views/joined_cases.h"

#include <gmock/gmock.h>

#include <set>

#include "reports/plots/plots.h"
#include "reports/views/operation_view.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::joined_cases_test {
namespace {

using ::testing::UnorderedElementsAre;

struct made_case {
  std::string operation, variant;
  named_words axes;
  named_figures quality = {};
};

/// The cases are named "0", "1" and so on.
record record_of(const std::vector<made_case>& cases) {
  record out{};
  out.operations.push_back({"attend", "attention", "plain", {{"tokens", "tokens of a batch"}}, {}});
  for (const made_case& c : cases) {
    measured_case& made = out.cases.emplace_back();
    made.name = std::to_string(out.cases.size() - 1);
    made.operation = c.operation;
    made.variant = c.variant;
    made.axes = c.axes;
    made.quality = c.quality;
    made.cache_state = "cold-clean";
    made.time = {1, 1, 0, 1, 1, "events", 1, 1, "samples", {}, {}};
    made.counters.values = {{"dram__bytes_read.sum", 1e6}};
  }
  return out;
}

const comparison across_rows = {{"attend"}, {"rows"}, {"counters"}};

/// One variant on buckets and one on scanned rows at three sizes, the second on random rows at one.
record two_arms() {
  std::vector<made_case> cases;
  for (const char* tokens : {"1024", "2048", "4096"}) {
    cases.push_back({"attend", "redirected", {{"tokens", tokens}, {"rows", "buckets"}}});
    cases.push_back({"attend", "gathered", {{"tokens", tokens}, {"rows", "scan"}}});
  }
  cases.push_back({"attend", "gathered", {{"tokens", "2048"}, {"rows", "random"}}});
  return record_of(cases);
}

std::set<std::string> variants_of(const record& r) {
  std::set<std::string> out;
  for (const measured_case& c : r.cases) out.insert(c.variant);
  return out;
}

TEST(JoinedCases, LeaveTheCrossedAxesToTheNamesOfVariantsThatDifferInThem) {
  const record joined = joined_cases(two_arms(), across_rows);
  ASSERT_EQ(joined.cases.size(), 7u);
  EXPECT_EQ(joined.cases[0].axes, (named_words{{"tokens", "1024"}}));
  EXPECT_EQ(joined.cases[0].operation, "attend across rows");
  EXPECT_EQ(joined.cases[0].name, "0");  // as in the record
  EXPECT_THAT(variants_of(joined),
              UnorderedElementsAre("redirected", "gathered, rows=scan", "gathered, rows=random"));
}

TEST(JoinedCases, KeepWhatTheRecordSaysOfTheAxes) {
  const record joined = joined_cases(two_arms(), across_rows);
  EXPECT_EQ(operation_view(joined, joined_name(across_rows)).axis_title("tokens"),
            "tokens (tokens of a batch)");
}

TEST(JoinedCases, CurvesOfFewSizesAreLeftOut) {
  const record curves = joined_curves(two_arms(), across_rows, 3);
  EXPECT_EQ(curves.cases.size(), 6u);
  EXPECT_THAT(variants_of(curves), UnorderedElementsAre("redirected", "gathered"));
}

TEST(JoinedCases, CurvesThatDifferInTheVariantAloneAreLeftOut) {
  std::vector<made_case> cases;
  for (const char* tokens : {"1024", "2048", "4096"})
    for (const char* variant : {"a", "b"})
      cases.push_back({"attend", variant, {{"tokens", tokens}, {"rows", "buckets"}}});
  const record r = record_of(cases);
  EXPECT_TRUE(joined_curves(r, across_rows, 3).cases.empty());
  EXPECT_EQ(joined_cases(r, across_rows).cases.size(), 6u);
}

TEST(JoinedCases, CurvesMeetOnlyWhereTheOtherAxesAgree) {
  std::vector<made_case> cases;
  for (const char* tokens : {"1024", "2048", "4096"}) {
    cases.push_back({"attend", "a", {{"tokens", tokens}, {"rows", "buckets"}, {"window", "512"}}});
    cases.push_back({"attend", "b", {{"tokens", tokens}, {"rows", "scan"}, {"window", "1024"}}});
  }
  EXPECT_TRUE(joined_curves(record_of(cases), across_rows, 3).cases.empty());
}

TEST(JoinedCases, OfSeveralOperationsHaveWhatAllOfThemHave) {
  const comparison both = {{"hash", "sort"}, {"region"}, {"quality"}};
  const record joined = joined_cases(
      record_of(
          {{"hash", "a", {{"mode", "strict"}, {"points", "9"}, {"region", "all"}}, {{"rms", 1}, {"bin", 2}}},
           {"hash", "a", {{"mode", "loose"}, {"points", "9"}, {"region", "all"}}, {{"rms", 3}, {"bin", 2}}},
           {"sort", "a", {{"points", "9"}, {"curve", "z"}, {"region", "sort"}}, {{"rms", 4}}},
           {"other", "a", {{"points", "9"}}}}),
      both);
  ASSERT_EQ(joined.cases.size(), 3u);
  EXPECT_EQ(joined_name(both), "hash and sort across region");
  EXPECT_THAT(variants_of(joined),
              UnorderedElementsAre("hash: a, mode=strict", "hash: a, mode=loose", "sort: a"));
  for (const measured_case& c : joined.cases) {
    EXPECT_EQ(c.axes, (named_words{{"points", "9"}}));
    ASSERT_EQ(c.quality.size(), 1u);
    EXPECT_EQ(c.quality[0].first, "rms");
  }
  const operation_view view(joined, joined_name(both));
  EXPECT_EQ(view.rows.size(), 1u);  // so the three are set against each other
  const std::vector<plot> plots = quality_plots(view, "device", 4);
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_THAT(plots[0].name, ::testing::StartsWith("hash-and-sort-across-region-quality"));
}

TEST(JoinedCases, AreDrawnInOneFigureOfCounters) {
  const record curves = joined_curves(two_arms(), across_rows, 3);
  const std::vector<plot> plots = metric_plots(curves, operation_view(curves, joined_name(across_rows)), 4);
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_THAT(plots[0].name, ::testing::StartsWith("attend-across-rows-metrics"));
  EXPECT_EQ(plots[0].specification.at("data").at("values").size(), 6u);
}

TEST(JoinedCases, OfNoCaseAreNone) {
  const comparison other = {{"nothing"}, {"rows"}, {"counters"}};
  EXPECT_TRUE(joined_cases(two_arms(), other).cases.empty());
  EXPECT_TRUE(joined_curves(two_arms(), other, 3).cases.empty());
}

TEST(JoinedCases, CalibrationsAreNoCases) {
  record r = two_arms();
  r.cases[0].ceiling = "dram_bytes";
  EXPECT_EQ(joined_cases(r, across_rows).cases.size(), 6u);
}

}  // namespace
}  // namespace ablate::reports::joined_cases_test
