#include "reports/views/dispatch.h"

#include "base/text/bad_input.h"
#include "reports/report/report.h"
#include "tests/reports/made_record.h"

namespace ablate::reports::dispatch_test {
namespace {

/// One workload: what the policies take, and the medians of the variants that were measured.
struct made_workload {
  std::string size;
  named_words dispatch;
  std::vector<std::pair<std::string, double>> medians;
};

record record_of(const std::vector<made_workload>& workloads) {
  record out{};
  for (const made_workload& w : workloads)
    for (const auto& [variant, median] : w.medians) {
      measured_case made{};
      made.operation = "made";
      made.variant = variant;
      made.cache_state = "cold-clean";
      made.axes = {{"size", w.size}};
      made.dispatch = w.dispatch;
      made.time.method = "events";
      made.time.median_us = made.time.ci95_low_us = made.time.ci95_high_us = median;
      out.cases.push_back(made);
    }
  return out;
}

const named_words takes_a_or_b = {{"simple", "a"}, {"careful", "b"}};

TEST(DispatchPolicies, AreJudgedByThePicksTimeOverTheBest) {
  const record r = record_of({{"1", takes_a_or_b, {{"a", 10}, {"b", 20}}},
                              {"2", takes_a_or_b, {{"a", 30}, {"b", 10}, {"c", 12}}},
                              {"3", takes_a_or_b, {{"a", 10.2}, {"b", 10}}}});
  const auto policies = policy_records(operation_views(r).front());
  ASSERT_EQ(policies.size(), 2u);
  EXPECT_EQ(policies[0].policy, "simple");
  EXPECT_EQ(policies[0].judged, 3u);
  EXPECT_EQ(policies[0].fastest, 2u);  // 1.02 of the best is as fast
  EXPECT_EQ(policies[0].fastest_of_own, 3u);
  EXPECT_DOUBLE_EQ(policies[0].median_over_best, 1.02);
  EXPECT_DOUBLE_EQ(policies[0].worst_over_best, 3);
  EXPECT_EQ(policies[0].not_measured, 0u);
  EXPECT_EQ(policies[1].policy, "careful");
  EXPECT_EQ(policies[1].fastest, 2u);
  EXPECT_DOUBLE_EQ(policies[1].median_over_best, 1);
  EXPECT_DOUBLE_EQ(policies[1].worst_over_best, 2);
}

TEST(DispatchPolicies, MedianOfAnEvenNumberLiesBetweenTheMiddleOnes) {
  const record r =
      record_of({{"1", takes_a_or_b, {{"a", 10}, {"c", 10}}}, {"2", takes_a_or_b, {{"a", 20}, {"c", 10}}}});
  EXPECT_DOUBLE_EQ(policy_records(operation_views(r).front())[0].median_over_best, 1.5);
}

TEST(DispatchPolicies, WorkloadsWithoutThePickAreCountedApart) {
  const record r = record_of({{"1", takes_a_or_b, {{"a", 10}, {"c", 5}}},
                              {"2", takes_a_or_b, {{"c", 10}}},
                              {"3", takes_a_or_b, {{"a", 10}}},  // alone: nothing to be set against
                              {"4", {}, {{"a", 10}, {"b", 1}}}});
  const auto policies = policy_records(operation_views(r).front());
  EXPECT_EQ(policies[0].judged, 1u);
  EXPECT_EQ(policies[0].fastest, 0u);
  EXPECT_EQ(policies[0].not_measured, 1u);
  EXPECT_EQ(policies[1].judged, 0u);
  EXPECT_EQ(policies[1].median_over_best, 0);
  EXPECT_EQ(policies[1].not_measured, 3u);
  const table lines = policy_table(operation_views(r).front());
  EXPECT_EQ(lines.lines[0].cells,
            (std::vector<std::string>{"simple", "1", "0 (0 %)", "1 (100 %)", "2.00×", "2.00×", "1"}));
  EXPECT_EQ(lines.lines[1].cells, (std::vector<std::string>{"careful", "0", "", "", "", "", "3"}));
}

TEST(DispatchPolicies, AreJudgedAmongWhatTheyTakeToo) {
  const record r = record_of({{"1", {{"rule", "a"}}, {{"a", 10}, {"b", 5}, {"c", 1}}},
                              {"2", {{"rule", "b"}}, {{"a", 10}, {"b", 5}, {"c", 1}}}});
  const auto policies = policy_records(operation_views(r).front());
  EXPECT_EQ(policies[0].fastest, 0u);
  EXPECT_EQ(policies[0].fastest_of_own, 1u);
}

TEST(DispatchPolicies, AreNoneWhereNoCaseNamesOne) {
  const record r = record_of({{"1", {}, {{"a", 10}, {"b", 5}}}});
  EXPECT_TRUE(policy_records(operation_views(r).front()).empty());
  EXPECT_TRUE(policy_table(operation_views(r).front()).lines.empty());
}

nlohmann::ordered_json with_dispatch(const nlohmann::ordered_json& dispatch) {
  nlohmann::ordered_json json = made_record();
  for (auto& entry : json["benchmarks"])
    if (entry["operation"] == "scatter") entry["input"]["dispatch"] = dispatch;
  return json;
}

TEST(DispatchPolicies, StandInTheSummary) {
  const auto path = written("record.json", with_dispatch({{"always", "merged"}, {"never", "direct"}}).dump());
  const auto out = path.parent_path() / "report";
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({path}, out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_NE(summary.find("### Dispatch policies\n"), std::string::npos);
  EXPECT_NE(summary.find("| always | 2 | 1 (50 %) | 2 (100 %) | 1.12× | 1.25× | 2 |\n"), std::string::npos)
      << summary;
  EXPECT_NE(summary.find("| never | 2 | 1 (50 %) | 2 (100 %) | 1.50× | 2.00× | 0 |\n"), std::string::npos);
}

TEST(DispatchPolicies, MustBeWords) {
  const auto path = written("record.json", with_dispatch({{"always", 3}}).dump());
  try {
    read_record(path);
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_NE(std::string(e.what()).find("/input/dispatch/always"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace ablate::reports::dispatch_test
