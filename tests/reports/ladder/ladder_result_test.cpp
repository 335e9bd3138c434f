#include "reports/ladder/ladder_result.h"

#include <gmock/gmock.h>

#include "reports/ablation/limits.h"
#include "reports/ladder/ladder_plot.h"
#include "reports/ladder/ladder_text.h"
#include "reports/report/report.h"
#include "tests/reports/ladder/ladder_record.h"
#include "tests/support/capability.h"

namespace ablate::reports::ladder_result_test {
namespace {

using gate::verdict;
using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Keeps alive what the ladder refers to.
struct climbing {
  explicit climbing(const ordered_json& made = ladder_record())
      : of(read_record(file_of_asked(made, fresh_folder()))),
        launches(of, {}, limits_of(shipped_policy())),
        ladder(ladder_result_of(of, *of.report.question->ladder, launches).value()) {}

  record of;
  process_launches launches;
  ladder_result ladder;
};

TEST(ClimbedLadder, ComparesEachStepWithTheOneBefore) {
  const climbing c;
  ASSERT_EQ(c.ladder.steps.size(), 5u);
  EXPECT_FALSE(c.ladder.steps[0].at.over);
  const ladder_case_result& merging = c.ladder.steps[1].at;
  EXPECT_EQ(merging.change, "variant: direct → merged");
  EXPECT_NEAR(merging.over->ratio(), 2, 1e-9);
  EXPECT_EQ(merging.over->verdict.word, verdict::faster);
  EXPECT_NEAR(c.ladder.whole->ratio(), 5, 1e-9);
  EXPECT_TRUE(c.ladder.is_of_one_clock);
}

TEST(ClimbedLadder, HoldsAStepAgainstItsControl) {
  const climbing c;
  const auto& control = c.ladder.steps[1].control;
  ASSERT_TRUE(control);
  EXPECT_EQ(control->change, "items: 1024 → 4096");
  EXPECT_EQ(control->before, c.ladder.steps[1].at.found);
  EXPECT_NEAR(control->over->ratio(), 2, 1e-9);
}

TEST(ClimbedLadder, GoesOnFromTheLastMeasuredStepAndSaysSo) {
  const climbing c;
  EXPECT_EQ(c.ladder.steps[2].at.missing, "not in this record");
  const ladder_step_result& columns = c.ladder.steps[3];
  EXPECT_EQ(columns.at.before, c.ladder.steps[1].at.found);
  EXPECT_TRUE(columns.skips);
  EXPECT_EQ(columns.at.label, "sorted + in columns");
  EXPECT_EQ(columns.at.change, "variant: merged → sorted, layout: rows → columns");
  EXPECT_NEAR(columns.at.over->ratio(), 0.8, 1e-9);
  EXPECT_FALSE(c.ladder.steps[4].skips);
  EXPECT_THAT(about_ladder(c.ladder), HasSubstr("several changes at once"));
}

TEST(ClimbedLadder, SelectsOneCaseOrNone) {
  ordered_json made = ladder_record();
  made["context"]["ablate"]["suite"]["report"]["question"]["ladder"]["steps"][0]["axes"].erase("items");
  made["context"]["ablate"]["suite"]["report"]["question"]["ladder"]["steps"][1].erase("control");
  const climbing c(made);
  EXPECT_EQ(c.ladder.steps[1].at.missing, "2 cases of this record fit");
  EXPECT_FALSE(c.ladder.steps[1].at.found);
}

TEST(ClimbedLadder, SaysWhyACaseHasNoTime) {
  ordered_json made = ladder_record();
  ordered_json failed = {{"name", "scatter/sorted/items=1024/layout=rows/@cold-clean"},
                         {"operation", "scatter"},
                         {"variant", "sorted"},
                         {"axes", {{"items", "1024"}, {"layout", "rows"}}},
                         {"cache_state", "cold-clean"},
                         {"status", "wrong"},
                         {"reason", "element 3"}};
  made["unmeasured"].push_back(failed);
  EXPECT_EQ(climbing(made).ladder.steps[2].at.missing, "wrong: element 3");
}

TEST(ClimbedLadder, ComparesNoTimesOfTwoClocks) {
  ordered_json made = ladder_record();
  for (auto& entry : made["benchmarks"])
    if (entry["variant"] == "staged") entry["time_us"]["method"] = "host_clock";
  const climbing c(made);
  EXPECT_FALSE(c.ladder.steps[4].at.over);
  EXPECT_FALSE(c.ladder.whole);
  EXPECT_FALSE(c.ladder.is_of_one_clock);
  EXPECT_FALSE(ladder_plot(c.ladder, "")) << "one picture has one clock";
  EXPECT_EQ(ladder_table(c.ladder).lines[5].cells[4], "another clock");
}

TEST(LadderText, SaysWhereItLeadsAndWhatCarriesMost) {
  const climbing c;
  EXPECT_THAT(
      ladder_sentences(c.ladder),
      ElementsAre(HasSubstr("From **as published** to **staged**: 400.0 µs to 80.00 µs, 5.00×"),
                  HasSubstr("gains most is **staged**, 3.12×; the one that costs most is **sorted + in "
                            "columns**, 0.80×."),
                  "Not measured: “sorted”."));
}

TEST(LadderText, TheTableHasALineForEachStepAndControl) {
  const table lines = ladder_table(climbing().ladder);
  EXPECT_THAT(lines.header, ElementsAre("no.", "step", "change", "median µs", "times faster than before",
                                        "launches", "declared bytes"));
  ASSERT_EQ(lines.lines.size(), 6u);
  EXPECT_EQ(lines.lines[2].cells[0], "1 control");
  EXPECT_EQ(lines.lines[1].cells[5], "7");
  EXPECT_EQ(lines.lines[3].cells[3], "not in this record");
  EXPECT_THAT(lines.lines[3].cases, IsEmpty());
  for (const table_line& line : lines.lines) EXPECT_EQ(line.cells.size(), lines.header.size());
}

TEST(LadderPlot, FallsFromTheFirstTimeToTheLast) {
  const auto drawn = ladder_plot(climbing().ladder, "made device");
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->name, "ladder");
  const ordered_json& rows = drawn->specification["data"]["values"];
  ASSERT_EQ(rows.size(), 6u) << "the start, three steps, a control and the end";
  EXPECT_EQ(rows[1]["start"], 400);
  EXPECT_EQ(rows[1]["end"], 200);
  EXPECT_EQ(rows[2]["step"], "control: of more items");
  EXPECT_EQ(rows[2]["start"], 0);
  EXPECT_EQ(rows[3]["verdict"], "SLOWER");
  EXPECT_EQ(rows[3]["label"], "0.80× *");
  EXPECT_EQ(rows[5]["end"], 80);
}

TEST(LadderReport, StandsInTheSummaryAndAsCsv) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({file_of_asked(ladder_record(), out)}, out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_THAT(summary, HasSubstr("## From direct to columns\n\nFrom **as published**"));
  EXPECT_LT(summary.find("## From direct"), summary.find("## scatter"));
  EXPECT_THAT(text_of(out / "ladder.csv"),
              HasSubstr("1,merging,variant: direct → merged,"
                        "scatter/merged/items=1024/layout=rows/@cold-clean,200,"));
}

TEST(LadderReport, ARecordWithoutOneHasThatOfItsSuite) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  ordered_json made = ladder_record();
  ordered_json& suite = made["context"]["ablate"]["suite"];
  suite.erase("report");
  const ordered_json published = {{"name", suite["name"]},
                                  {"report", {{"question", {{"ladder", made_ladder()}}}}}};
  std::ofstream(out / (suite["name"].get<std::string>() + ".json")) << published.dump();
  report_options options;
  options.published_suites = out;
  write_report({file_of_asked(made, out)}, out, options);
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("## From direct to columns"));
}

TEST(LadderReport, ARecordOfNoneOfItsCasesHasNoLadder) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({file_of_asked(ladder_record({{"direct", {}, "street", 1024, 70}}), out)}, out);
  EXPECT_THAT(text_of(out / "summary.md"), Not(HasSubstr("From direct to columns")));
}

TEST(LadderReport, ThePictureStandsBesideTheSummary) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  write_report({file_of_asked(ladder_record(), out)}, out);
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("![From direct to columns](ladder.svg)"));
  EXPECT_TRUE(text_of(out / "ladder.svg").starts_with("<svg "));
}

}  // namespace
}  // namespace ablate::reports::ladder_result_test
