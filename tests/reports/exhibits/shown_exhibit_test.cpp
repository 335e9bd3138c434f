#include "reports/exhibits/shown_exhibit.h"

#include <gmock/gmock.h>

#include "reports/report/report.h"
#include "tests/reports/exhibits/exhibit_record.h"
#include "tests/support/capability.h"

namespace ablate::reports::shown_exhibit_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// The record's exhibit of that place.
std::optional<shown_exhibit> exhibit_of(const ordered_json& made, std::size_t place) {
  const record r = read_record(file_of_asked(made, fresh_folder()));
  return shown(r, r.report.question->exhibits.at(place));
}

TEST(ActivityFigure, DrawsWithGapsAndOverBusyTimeAlone) {
  const auto figure = exhibit_of(exhibit_record(), 0);
  ASSERT_TRUE(figure && figure->drawn);
  EXPECT_EQ(figure->name, "exhibit-activity");
  const ordered_json& rows = figure->drawn->specification["data"]["values"];
  ASSERT_EQ(rows.size(), 3u) << "the cases that were sampled";
  EXPECT_EQ(rows[0]["variant"], "as published");
  EXPECT_EQ(rows[1]["size"], 4096);
  EXPECT_EQ(rows[1]["sm_active_pct"], 30);
  EXPECT_EQ(rows[1]["sm_active_pct_busy"], 60);
  EXPECT_TRUE(rows[1]["dram_read_pct"].is_null());
  EXPECT_EQ(figure->drawn->specification["concat"].size(), 2u) << "a panel for each metric with values";
}

TEST(ActivityFigure, TheTableHasEachForwardOrWhyItWasNotSampled) {
  const auto figure = exhibit_of(exhibit_record(), 0);
  ASSERT_TRUE(figure);
  ASSERT_EQ(figure->lines.lines.size(), 4u);
  for (const table_line& line : figure->lines.lines)
    EXPECT_EQ(line.cells.size(), figure->lines.header.size());
  EXPECT_THAT(figure->lines.lines[0].cells,
              ElementsAre("as published", "1024", "1005 ± 3", "0.50", "20.0 ± 0.2 (40.0, 41.5 §)", "",
                          "5.0 ± – (10.0, –)", "", "0.50"));
  EXPECT_EQ(figure->lines.lines[3].cells[2], "another program has the counters");
}

TEST(ActivityFigure, SaysWhatSamplingCostsAndHowFarItIsFromCounters) {
  const auto figure = exhibit_of(exhibit_record(), 0);
  ASSERT_TRUE(figure);
  EXPECT_THAT(
      figure->sentences,
      ElementsAre("Sampling adds **0.50 %** to a forward, 1.75 % at most (the aim: at most 2 %).",
                  HasSubstr("within **2.0 points** of the counters of the same kernels (the aim: 3); "
                            "furthest is SM active (%) of as published at 4096 points, 60.0 and 58.0."),
                  "Not sampled: “the library”."));
}

TEST(ActivityFigure, ARivalHasItsCurve) {
  ordered_json made = exhibit_record();
  ordered_json rival = made["benchmarks"].back();
  for (const char* key : {"name", "run_name"})
    rival[key] = "scatter/lib_scatter/items=1024/layout=rows/@cold-clean";
  rival["variant"] = "lib_scatter";
  rival["axes"]["layout"] = "rows";
  made["benchmarks"].push_back(rival);
  const auto figure = exhibit_of(made, 0);
  ASSERT_TRUE(figure && figure->drawn);
  EXPECT_EQ(figure->drawn->specification["data"]["values"].size(), 4u);
  EXPECT_EQ(figure->sentences.size(), 2u);
}

TEST(ActivityFigure, ARecordOfNoneOfItsCasesHasNone) {
  ordered_json made = exhibit_record();
  for (auto& entry : made["benchmarks"]) entry["cache_state"] = "hot";
  EXPECT_FALSE(exhibit_of(made, 0));
  made = exhibit_record();
  for (auto& entry : made["benchmarks"]) entry.erase("sampled");
  const auto figure = exhibit_of(made, 0);
  ASSERT_TRUE(figure);
  EXPECT_FALSE(figure->drawn);
  EXPECT_EQ(figure->lines.lines[0].cells[2], "not sampled");
}

TEST(PublishedTable, HasWhatWasPublishedBesideEachCell) {
  const auto table1 = exhibit_of(exhibit_record(), 1);
  ASSERT_TRUE(table1);
  EXPECT_THAT(table1->lines.header, ElementsAre("", "", "published", "published", "merged", "library"));
  ASSERT_EQ(table1->lines.lines.size(), 6u);
  const std::string no_rival = "no rival lib_scatter of it in this record";
  EXPECT_THAT(table1->lines.lines[0].cells,
              ElementsAre("time (ms)", "small", "0.5000", "0.4000", "0.2000", no_rival));
  EXPECT_THAT(table1->lines.lines[1].cells,
              ElementsAre("time (ms)", "large", "–", "0.9000 (25 % of points in grid)",
                          "0.3000 (25 % of points in grid)", no_rival));
  EXPECT_THAT(table1->lines.lines[2].cells,
              ElementsAre("training (ms)", "small", "7", "nothing is trained here", "nothing is trained here",
                          "nothing is trained here"));
  EXPECT_EQ(table1->lines.lines[4].cells[3], "2.500") << "the first of two places";
  EXPECT_EQ(table1->lines.lines[0].cases.size(), 2u);
  EXPECT_FALSE(table1->drawn);
}

/// Which the others do not mean: they have the default of an axis that ids leave out there.
TEST(PublishedTable, AQuantityMayBeOfOtherCases) {
  ordered_json made = exhibit_record();
  auto& facts = made["context"]["ablate"];
  facts["operations"]["scatter"]["silent_axes"] = {{"layout", "rows"}};
  auto& exhibit = facts["suite"]["report"]["question"]["exhibits"][1];
  exhibit.erase("axes");
  exhibit["quantities"][1] = {{"label", "training"},
                              {"unit", "us"},
                              {"values", "time_us.median"},
                              {"axes", {{"layout", "columns"}}},
                              {"published", {7, nullptr}}};
  const auto table1 = exhibit_of(made, 1);
  ASSERT_TRUE(table1);
  EXPECT_EQ(table1->lines.lines[0].cells[3], "0.4000");
  EXPECT_EQ(table1->lines.lines[2].cells[3], "70.00");
  EXPECT_EQ(table1->lines.lines[3].cells[3], "not in this record");
}

TEST(PublishedTable, ACellThatCannotBeFilledSaysWhy) {
  ordered_json made = exhibit_record();
  auto& exhibit = made["context"]["ablate"]["suite"]["report"]["question"]["exhibits"][1];
  exhibit["rows"][0]["axes"].erase("items");
  const auto several = exhibit_of(made, 1);
  ASSERT_TRUE(several);
  EXPECT_EQ(several->lines.lines[0].cells[3], "2 cases of this record fit");
  EXPECT_THAT(several->sentences, ElementsAre(StartsWith("**")));

  made = exhibit_record();
  auto& entries = made["benchmarks"];
  ordered_json failed = entries[entries.size() - 2];
  entries.erase(entries.size() - 2);
  made["unmeasured"].push_back({{"name", failed["name"]},
                                {"operation", "scatter"},
                                {"variant", "merged"},
                                {"axes", failed["axes"]},
                                {"cache_state", "cold-clean"},
                                {"status", "wrong"},
                                {"reason", "element 3"}});
  EXPECT_EQ(exhibit_of(made, 1)->lines.lines[1].cells[4], "wrong: element 3");
}

TEST(PublishedTable, TimesOfTwoClocksAreSaidNotToBeDivided) {
  ordered_json made = exhibit_record();
  EXPECT_THAT(exhibit_of(made, 1)->about, Not(HasSubstr("clock")));
  made["benchmarks"].back()["time_us"]["method"] = "host_clock";
  EXPECT_THAT(exhibit_of(made, 1)->about, Not(HasSubstr("clock"))) << "of another layout";
  for (auto& entry : made["benchmarks"])
    if (entry["variant"] == "merged") entry["time_us"]["method"] = "host_clock_graph";
  EXPECT_THAT(exhibit_of(made, 1)->about, HasSubstr("do not divide one by the other"));
  for (auto& entry : made["benchmarks"]) entry["time_us"]["method"] = "host_clock";
  EXPECT_THAT(exhibit_of(made, 1)->about, HasSubstr("All times are by the host clock"));
}

TEST(PublishedTable, ARecordThatFillsNoCellHasNone) {
  ordered_json made = exhibit_record();
  for (auto& entry : made["benchmarks"]) entry["cache_state"] = "hot";
  EXPECT_FALSE(exhibit_of(made, 1));
}

TEST(ExhibitReport, StandsInTheSummaryAndAsCsv) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  std::ofstream(out / "exhibit-earlier.csv") << "gone";
  write_report({file_of_asked(exhibit_record(), out)}, out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_THAT(summary, HasSubstr("## Activity against items\n\nSampling adds"));
  EXPECT_THAT(summary, HasSubstr("## Table 1\n\n**5 of 18** cells are measured"));
  EXPECT_LT(summary.find("## Table 1"), summary.find("## scatter"));
  EXPECT_THAT(text_of(out / "exhibit-table1.csv"), HasSubstr("time (ms),small,0.5000,0.4000,0.2000,"));
  EXPECT_THAT(text_of(out / "exhibit-activity.csv"), HasSubstr("as published,1024,1005 ± 3,0.50,"));
  EXPECT_FALSE(std::filesystem::exists(out / "exhibit-earlier.csv"));
}

TEST(ExhibitReport, ThePictureStandsBesideTheSummary) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  write_report({file_of_asked(exhibit_record(), out)}, out);
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("![Activity against items](exhibit-activity.svg)"));
  EXPECT_TRUE(std::filesystem::exists(out / "exhibit-activity.svg"));
}

}  // namespace
}  // namespace ablate::reports::shown_exhibit_test
