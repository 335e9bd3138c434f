#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/bad_input.h"
#include "reports/plots/plots.h"
#include "reports/report/report.h"
#include "reports/views/operation_view.h"
#include "reports/views/workloads.h"
#include "tests/reports/graded_record.h"
#include "tests/support/capability.h"

namespace ablate::reports::quality_test {
namespace {

using nlohmann::ordered_json;

/// A report without drawings.
std::filesystem::path report_of(const std::filesystem::path& record, const std::filesystem::path& out) {
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({record}, out);
  return out;
}

std::string line_with(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What reading says of a graded record whose first picture was changed.
template <class Change>
std::string refusal_after(Change change) {
  const auto folder = fresh_folder();
  ordered_json made = ordered_json::parse(text_of(graded_record(folder)));
  for (ordered_json& entry : made["benchmarks"])
    if (entry.contains("picture")) change(entry);
  std::ofstream(folder / "record.json", std::ios::binary) << made.dump();
  try {
    read_record(folder / "record.json");
    return "";
  } catch (const bad_input& error) {
    return std::string(error.what()).substr((folder / "record.json").string().size() + 2);
  }
}

TEST(Quality, IsReadWithThePictureAndTheCounts) {
  const record r = read_record(graded_record(fresh_folder()));
  EXPECT_TRUE(r.cases[0].quality.empty());
  const measured_case& merged = r.cases[3];
  EXPECT_EQ(merged.variant, "merged");
  EXPECT_EQ(merged.quality,
            (named_figures{{"spread_m", 6.5}, {"at_home_share", 0.5}, {"bin_share", std::nullopt}}));
  EXPECT_EQ(merged.counted,
            (named_figures{{"points", 1024}, {"overflow_share", 0.125}, {"drained", std::nullopt}}));
  ASSERT_TRUE(merged.picture);
  EXPECT_EQ(merged.picture->x_title, "x (m)");
  EXPECT_EQ(merged.picture->panels[1].kind, measured_case::output_picture::coloring::members);
  ASSERT_EQ(merged.picture->points.size(), 300u);
  EXPECT_EQ(merged.picture->points[31].colors, (std::vector<long>{2, 1}));
  EXPECT_FALSE(r.cases[4].picture);
}

TEST(Quality, AnEarlierRecordHasNone) {
  const record r = read_record(made_record_path());
  EXPECT_TRUE(r.cases[2].quality.empty());
  EXPECT_FALSE(r.cases[2].picture);
  EXPECT_TRUE(r.cases[2].counted.empty()) << "points per atomic sum it up";
}

TEST(Quality, WhatIsNotAsDescribedIsRefusedInOneLine) {
  const std::string here = "/benchmarks/3/";
  EXPECT_EQ(refusal_after([](ordered_json& e) { e["quality"]["spread_m"] = "wide"; }),
            here + "quality/spread_m: expected a number, found \"wide\"");
  EXPECT_EQ(refusal_after([](ordered_json& e) { e["picture"]["panels"][0]["kind"] = "heat"; }),
            here + "picture/panels/0/kind: expected one of category, members, found 'heat'");
  EXPECT_EQ(refusal_after([](ordered_json& e) {
              e["picture"]["points"][7] = {1, 2, 3};
            }),
            here + "picture/points/7: expected 4 numbers: x, y and one for each of 2 panels, found 3");
  EXPECT_EQ(refusal_after([](ordered_json& e) { e["picture"]["points"][7][3] = 2; }),
            here + "picture/points/7/3: expected 0 or 1 in a panel of members, found 2");
  EXPECT_EQ(refusal_after([](ordered_json& e) { e["picture"]["points"][7][2] = 1.5; }),
            here + "picture/points/7/2: expected an integer, found 1.5");
  EXPECT_EQ(refusal_after([](ordered_json& e) {
              const ordered_json point = e["picture"]["points"][0];
              e["picture"]["points"] = std::vector<ordered_json>(8193, point);
            }),
            here + "picture/points: expected 1 to 8192 points, found 8193");
  EXPECT_EQ(refusal_after([](ordered_json& e) { e["picture"]["panels"] = ordered_json::array(); }),
            here + "picture/panels: expected at least one panel, found none");
  EXPECT_EQ(refusal_after([](ordered_json& e) { e["picture"].erase("x"); }).substr(0, 21), here + "picture");
}

TEST(Quality, StandsBesideEveryTimeOfTheSummary) {
  const std::string summary =
      text_of(report_of(graded_record(fresh_folder()), fresh_folder()) / "summary.md");
  const std::string headline = line_with(summary.substr(summary.find("### Headline")), "| variant |");
  EXPECT_EQ(headline,
            "| cache state | items | layout | variant | median µs | speed-up | spread_m | at_home_share | "
            "bin_share |");
  EXPECT_TRUE(
      line_with(summary, "| cold-clean | 1048576 | rows | merged |").ends_with("× ≠ | 6.500 | 0.5000 |  |"))
      << line_with(summary, "| cold-clean | 1048576 | rows | merged |");
  EXPECT_TRUE(
      line_with(summary, "| cold-clean | 1048576 | rows | sorted |").ends_with("× | 4.250 | 0.5000 |  |"));
  EXPECT_NE(summary.find("- **Quality** "), std::string::npos);
}

TEST(Quality, HasColumnsInTheTableOfCases) {
  const std::string cases = text_of(report_of(graded_record(fresh_folder()), fresh_folder()) / "cases.csv");
  EXPECT_TRUE(first_line(cases).ends_with(
      ",max_error,accepted_error,dram_bytes,counted_flops,counted_atomics,quality.spread_m,quality.at_home_"
      "share,"
      "quality.bin_share,instrumented.points,instrumented.overflow_share,instrumented.drained"));
  EXPECT_TRUE(line_with(cases, "scatter/merged/items=16384/layout=rows").ends_with(",6.5,0.5,,1024,0.125,"));
  EXPECT_TRUE(line_with(cases, "ceilings/copy").ends_with(",,,,,,"));
}

TEST(Quality, IsPlottedAgainstTimeOnlyWhereItDiffers) {
  const auto specs = report_of(graded_record(fresh_folder()), fresh_folder()) / "plots" / "specs";
  std::size_t plots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(specs)) {
    if (entry.path().filename().string().find("-quality-") == std::string::npos) continue;
    ++plots;
    const ordered_json spec = ordered_json::parse(text_of(entry.path()));
    ASSERT_EQ(spec["concat"].size(), 1u) << "at_home_share is the same everywhere, bin_share is nowhere";
    EXPECT_EQ(spec["concat"][0]["encoding"]["y"]["field"], "spread_m");
    EXPECT_EQ(spec["data"]["values"].size(), 6u) << "three variants in two layouts";
  }
  EXPECT_EQ(plots, 4u);
}

TEST(Quality, APictureIsDrawnWithEqualScalesAndMembersLast) {
  const auto folder = fresh_folder();
  const auto specs = report_of(graded_record(folder), folder) / "plots" / "specs";
  const ordered_json spec = ordered_json::parse(text_of(specs / "scatter-picture-merged.vl.json"));
  ASSERT_EQ(spec["data"]["values"].size(), 1u);
  EXPECT_EQ(spec["data"]["values"][0]["points"].size(), 300u);
  EXPECT_EQ(spec["data"]["values"][0]["points"][31], ordered_json({11.25, -6.5, 2, 1}));
  ASSERT_EQ(spec["concat"].size(), 2u);
  const auto length = [](const ordered_json& domain) {
    return domain[1].get<double>() - domain[0].get<double>();
  };
  for (const ordered_json& panel : spec["concat"]) {
    const ordered_json& encoding =
        panel.contains("layer") ? panel["layer"][0]["encoding"] : panel["encoding"];
    EXPECT_NEAR(length(encoding["x"]["scale"]["domain"]) / panel["width"].get<double>(),
                length(encoding["y"]["scale"]["domain"]) / panel["height"].get<double>(), 1e-3);
  }
  EXPECT_EQ(spec["concat"][1]["layer"][1]["transform"][0]["filter"], "datum.p[3] === 1");
  EXPECT_NE(spec["concat"][1]["layer"][0]["mark"]["color"], spec["concat"][1]["layer"][1]["mark"]["color"]);
}

TEST(Quality, APictureOfThousandsOfPointsIsASmallDrawing) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto folder = fresh_folder();
  ordered_json made = ordered_json::parse(text_of(graded_record(folder)));
  ordered_json& picture = made["benchmarks"][3]["picture"];
  picture["panels"].push_back(picture["panels"][1]);
  picture["panels"].push_back(picture["panels"][1]);
  picture["points"] = ordered_json::array();
  for (int i = 0; i < 4000; ++i)  // no two coincide
    picture["points"].push_back(
        {(i % 80) * 0.7, (i / 80) * 0.7, i % 256, i % 2, i % 3 == 0 ? 1 : 0, i < 99 ? 1 : 0});
  std::ofstream(folder / "record.json", std::ios::binary) << made.dump();
  write_report({folder / "record.json"}, folder);
  const std::string svg = text_of(folder / "plots" / "scatter-picture-merged.svg");
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_LT(svg.size(), 400'000u);
  std::size_t marks = 0;
  for (std::size_t at = svg.find("h.1"); at != std::string::npos; at = svg.find("h.1", at + 1)) ++marks;
  // 99 members are too few to be merged.
  EXPECT_EQ(marks, 4 * 4000u - 99u);
}

TEST(ManyAxes, AWorkloadIsToldByWhatSetsItApart) {
  const record r = read_record(many_axes_record(fresh_folder()));
  const operation_view view = operation_views(r).front();
  ASSERT_TRUE(view.has_many_axes());
  const workload_labels labels(view, view.varying_axes());
  EXPECT_EQ(*find_word(labels.usual(), "axis0"), "64");
  EXPECT_EQ(*find_word(labels.usual(), "axis9"), "plain");
  std::vector<std::string> all;
  for (const comparable_cases& row : view.rows) all.push_back(labels.of(row.axes));
  for (const char* label : {"usual", "axis0 128", "axis4 256", "other2"})
    EXPECT_NE(std::find(all.begin(), all.end(), label), all.end()) << label;
}

TEST(ManyAxes, TheSummaryHasOneColumnForThem) {
  const auto folder = fresh_folder();
  const std::string summary = text_of(report_of(many_axes_record(folder), folder) / "summary.md");
  EXPECT_NE(summary.find("The usual workload: axis0=64, "), std::string::npos);
  const std::string headline = summary.substr(summary.find("### Headline"));
  EXPECT_EQ(line_with(headline, "| variant |").substr(0, 37), "| cache state | workload | variant | ");
  const std::size_t usual = headline.find("| usual | direct |");
  ASSERT_NE(usual, std::string::npos);
  EXPECT_LT(usual, headline.find("| axis1 128 | direct |")) << "the usual one first";
}

TEST(ManyAxes, PlotsAreFewPagesOfRowsInOrder) {
  const auto folder = fresh_folder();
  const auto specs = report_of(many_axes_record(folder), folder) / "plots" / "specs";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(specs))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  const auto count = [&](const std::string& kind) {
    return std::count_if(names.begin(), names.end(),
                         [&](const auto& name) { return name.find("-" + kind + "-") != std::string::npos; });
  };
  EXPECT_EQ(count("speedup"), 1);
  EXPECT_LE(count("floor"), 1);
  EXPECT_LE(count("quality"), 4);
  EXPECT_LE(count("scaling"), 6);
  EXPECT_LT(names.size(), 24u);
}

}  // namespace
}  // namespace ablate::reports::quality_test
