#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/record/asked_suite.h"
#include "harness/inputs/input_library.h"
#include "harness/suite/suite.h"
#include "reports/ablation/limits.h"
#include "reports/ladder/ladder_plot.h"
#include "tests/harness/cli/checked_suite.h"
#include "tests/support/paths.h"

namespace ablate::committed_ladders_test {
namespace {

const std::filesystem::path root = test_support::source_path();

/// The case of the suite that a step selects, of those that it runs on Hopper.
std::vector<suite_case> selected(const std::vector<suite_case>& all, const suite_ladder& ladder,
                                 const ladder_case& wanted) {
  std::vector<suite_case> out;
  for (const suite_case& c : all) {
    bool fits = c.operation->name == ladder.operation && c.variant && c.variant->name == wanted.variant &&
                to_string(c.state) == ladder.cache_state;
    for (const auto& [axis, value] : wanted.axes) fits = fits && c.axes.word(axis) == value;
    if (fits) out.push_back(c);
  }
  return out;
}

TEST(CommittedLadders, SelectCasesThatCanRun) {
  std::size_t ladders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "suites")) {
    if (entry.path().extension() != ".json" || entry.path().filename() == "schema.json") continue;
    const suite s = with_checked_report(read_suite(entry.path()));
    const auto question = test_support::report_of(s).question;
    if (!question || !question->ladder) continue;
    ++ladders;
    const input_library inputs(s.seed, s.point_files, {});
    const std::vector<suite_case> all = expand(s, {}, inputs);
    for (const ladder_cases& wanted : cases_of(*question->ladder))
      for (const std::optional<ladder_case>& c : {std::optional(wanted.step), wanted.control}) {
        if (!c) continue;
        const std::vector<suite_case> found = selected(all, *question->ladder, *c);
        ASSERT_EQ(found.size(), 1u) << entry.path();
        EXPECT_EQ(found[0].not_applicable.value_or(""), "") << found[0].id;
      }
  }
  EXPECT_GE(ladders, 1u);
}

// A record made before its suite had a ladder is drawn by the suite of its name, with the steps that it has:
// those before the rows are in buckets, and Flash3D's models.
TEST(CommittedLadders, AreDrawnFromTheRecordOfPTv3AndFlash3D) {
  const record r = read_record(root / "results/h200/backbone_ladder/record.json");
  const auto asked = read_asked_suite(root / "suites/backbone_ladder.json").question->ladder;
  ASSERT_TRUE(asked);
  const reports::process_launches launches(r, {}, reports::limits_of(reports::shipped_policy()));
  const reports::ladder_result ladder = reports::ladder_result_of(r, *asked, launches).value();
  EXPECT_TRUE(ladder.is_of_one_clock);
  std::size_t measured = 0;
  for (const reports::ladder_step_result& step : ladder.steps) {
    measured += step.at.found ? 1 : 0;
    EXPECT_EQ(step.at.missing.find("cases of this record fit"), std::string::npos) << step.at.label;
  }
  EXPECT_GE(measured, 5u);
  EXPECT_TRUE(reports::ladder_plot(ladder, r.device_name));
}

}  // namespace
}  // namespace ablate::committed_ladders_test
