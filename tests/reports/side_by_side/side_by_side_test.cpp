#include "reports/side_by_side/side_by_side.h"

#include "base/text/bad_input.h"
#include "reports/ablation/limits.h"
#include "reports/report/report.h"
#include "tests/reports/two_builds.h"

namespace ablate::reports::side_by_side_test {
namespace {

using gate::verdict;
using nlohmann::ordered_json;

/// Keeps alive what the sides refer to.
class sides_of {
 public:
  explicit sides_of(const made_builds& made, const std::filesystem::path& folder) {
    for (const auto& file : files_of(made, folder)) records_.push_back(read_record(file));
    const gate::gate_policy policy = shipped_policy();
    const report_extras extras{&policy};
    for (std::size_t i = 0; i < records_.size(); ++i)
      reports_.push_back(report_of(records_[i], {}, extras, i == 0 ? "before" : "after", ""));
    sides_ = put_side_by_side(reports_, policy);
  }

  const side_by_side* operator->() const { return &sides_; }
  const side_by_side& operator*() const { return sides_; }
  const side_row& row(const std::string& name) const {
    for (const side_row& r : sides_.rows)
      if (r.name == name) return r;
    throw std::out_of_range(name);
  }

 private:
  std::vector<record> records_;
  std::vector<record_report> reports_;
  side_by_side sides_;
};

constexpr const char* merged = "scatter/merged/items=1048576/layout=rows/@cold-clean";
constexpr const char* direct = "scatter/direct/items=1048576/layout=rows/@cold-clean";

TEST(SideBySide, TwoBuildsOnOneDeviceAreJudged) {
  const auto folder = fresh_folder();
  const sides_of sides(made_two_builds(folder), folder);
  EXPECT_EQ(sides->rows.size(), 42u);
  EXPECT_TRUE(sides->pairs[0].why_not.empty()) << sides->pairs[0].why_not;
  EXPECT_EQ(sides.row(merged).sides[1].word, verdict::faster);
  EXPECT_NEAR(*sides.row(merged).sides[1].ratio, 1.25, 1e-9);
  EXPECT_GT(*sides.row(merged).sides[1].low, 1);
  EXPECT_EQ(sides.row(direct).sides[1].word, verdict::same);
  EXPECT_FALSE(sides.row(direct).sides[0].ratio);

  const table counts = side_table(*sides);
  ASSERT_EQ(counts.lines.size(), 1u);
  EXPECT_EQ(counts.lines[0].cells[2], "42");
  EXPECT_EQ(counts.lines[0].cells.back(), "1.000 to 1.250");
  EXPECT_NE(side_summary(*sides, false).find("| `" + std::string(merged) + "` |"), std::string::npos);
}

TEST(SideBySide, TwoKindsOfGpuAreComparedAndJudgedByNothing) {
  const auto folder = fresh_folder();
  made_builds builds = made_two_builds(folder);
  builds.after["context"]["ablate"]["device"]["name"] = "Other GPU";
  builds.after["context"]["ablate"]["device"]["uuid"] = "GPU-other";
  const sides_of sides(builds, folder);
  EXPECT_EQ(sides->pairs[0].why_not, "two kinds of GPU");
  EXPECT_FALSE(sides.row(merged).sides[1].word);
  EXPECT_NEAR(*sides.row(merged).sides[1].ratio, 1.25, 1e-9);  // told, not judged
  EXPECT_GT(*sides.row(merged).sides[1].low, 1);
  ASSERT_TRUE(sides->pairs[0].devices);
  EXPECT_NE(sides->pairs[0].devices->answer.find("The Other GPU is faster in "), std::string::npos);
  const std::string summary = side_summary(*sides, false);
  for (const char* said :
       {"another kind of GPU: ratios without verdicts", "The Other GPU is faster in ", "By operation",
        "By binding ceiling", "By workload", "Rank flips", "differ by up to 12 %"})
    EXPECT_NE(summary.find(said), std::string::npos) << said;
  EXPECT_EQ(summary.find("judged by nothing"), std::string::npos);
}

TEST(SideBySide, TwoSpecimensOfOneKindAreJudgedByNothing) {
  const auto folder = fresh_folder();
  made_builds builds = made_two_builds(folder);
  builds.after["context"]["ablate"]["device"]["uuid"] = "GPU-other";
  const sides_of sides(builds, folder);
  EXPECT_EQ(sides->pairs[0].why_not, "these are two specimens of the device: GPU-none and GPU-other");
  EXPECT_FALSE(sides->pairs[0].devices);
}

TEST(SideBySide, AnotherInputOrMethodHasNoRatio) {
  const auto folder = fresh_folder();
  made_builds builds = made_two_builds(folder);
  for (ordered_json& entry : builds.after["benchmarks"]) {
    if (entry["name"] == merged) entry["input"]["hash"] = "00000000000000cc";
    if (entry["name"] == direct) entry["time_us"]["method"] = "graph";
  }
  const sides_of sides(builds, folder);
  EXPECT_FALSE(sides.row(merged).sides[1].ratio);
  EXPECT_FALSE(sides.row(merged).sides[1].word);
  EXPECT_EQ(sides.row(merged).sides[1].reason, "another input");
  EXPECT_EQ(sides.row(direct).sides[1].reason, "timed by another method");
  EXPECT_EQ(side_table(*sides).lines[0].cells[8], "2");  // not judged
  for (const plot& p : sides->plots)
    for (const ordered_json& row : p.specification["data"]["values"])
      EXPECT_FALSE(row["record"] == "after" && (row["case"] == merged || row["case"] == direct));
}

TEST(SideBySide, OtherCachesAreOtherCases) {
  const auto folder = fresh_folder();
  made_builds builds = made_two_builds(folder);
  for (ordered_json& entry : builds.after["benchmarks"])
    if (entry["name"] == merged) {
      std::string name = merged;
      name.replace(name.find("@cold-clean"), std::string::npos, "@hot");
      entry["name"] = entry["run_name"] = name;
      entry["cache_state"] = "hot";
    }
  const sides_of sides(builds, folder);
  EXPECT_THROW(sides.row(merged), std::out_of_range);
  EXPECT_EQ(sides.row(direct).sides[1].word, verdict::same);
}

TEST(SideBySide, WhatOneSideLacksStandsThereWithItsReason) {
  const auto folder = fresh_folder();
  made_builds builds = made_two_builds(folder);
  ordered_json& cases = builds.after["benchmarks"];
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i]["name"] == merged) {
      ordered_json lost = builds.after["unmeasured"][0];
      for (const char* key : {"name", "operation", "variant", "cache_state", "axes"})
        lost[key] = cases[i][key];
      lost["status"] = "wrong";
      lost["reason"] = "row 7 differs";
      builds.after["unmeasured"].push_back(lost);
      cases.erase(i);
      break;
    }
  const sides_of sides(builds, folder);
  EXPECT_EQ(sides.row(merged).sides[1].of, nullptr);
  EXPECT_EQ(sides.row(merged).sides[1].missing, "wrong: row 7 differs");
}

TEST(SideBySide, CurvesHoldEveryRecord) {
  const auto folder = fresh_folder();
  const sides_of sides(made_two_builds(folder), folder);
  ASSERT_EQ(sides->plots.size(), 2u);  // rows and columns
  EXPECT_EQ(sides->plots[0].name, "scatter-records-rows-cold-clean");
  const ordered_json& drawn = sides->plots[0].specification;
  EXPECT_EQ(drawn["data"]["values"].size(), 2 * 21u);
  EXPECT_EQ(drawn["facet"]["sort"].dump(), R"(["merged","direct","sorted"])");
}

TEST(SideBySide, ADeviceWhoseNameIsPartOfAnothersIsNamedToo) {
  const auto folder = fresh_folder();
  made_builds builds = made_two_builds(folder);
  builds.before["context"]["ablate"]["device"]["name"] = "Imaginary GPU 80GB";
  builds.after["context"]["ablate"]["device"]["name"] = "Imaginary GPU";
  const sides_of sides(builds, folder);
  ASSERT_FALSE(sides->plots.empty());
  EXPECT_NE(sides->plots[0].specification.dump().find("Imaginary GPU 80GB, Imaginary GPU"),
            std::string::npos);
}

TEST(SideBySide, AReportOfTwoBuildsHoldsBoth) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report(two_builds(out), out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_EQ(summary.substr(0, summary.find("---\n\n")), text_of(made_data() / "side_by_side" / "section.md"));
  EXPECT_NE(summary.find("# made_by_hand on commit fedcba9 with changes\n"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(out / "plots" / "specs" / "scatter-records-rows-cold-clean.vl.json"));
  EXPECT_TRUE(std::filesystem::exists(out / "plots" / "specs" /
                                      "commit-fedcba9-with-changes-scatter-scaling-rows-cold-clean.vl.json"));
  const std::string csv = text_of(out / "side_by_side.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 42);
  EXPECT_NE(csv.find(",1.25,"), std::string::npos);
  EXPECT_TRUE(text_of(out / "cases.csv").starts_with("device,record,case,"));
}

TEST(SideBySide, GivesExactlyTheseRows) {
  const auto out = fresh_folder();
  ordered_json after = made_record();
  after["context"]["date"] = "2026-02-03T00:00:00+00:00";
  after["context"]["ablate"]["build"]["source_hash"] = std::string(64, 'a');
  for (ordered_json& entry : after["benchmarks"]) {
    if (entry["variant"] != "direct") continue;
    for (const char* key : {"median", "min", "ci95_low", "ci95_high"})
      entry["time_us"][key] = 2 * entry["time_us"][key].get<double>();
    for (ordered_json& sample : entry["time_us"]["samples"]) sample = 2 * sample.get<double>();
  }
  write_record(out / "after.json", after["context"], after["benchmarks"], after["unmeasured"]);
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({made_record_path(), out / "after.json"}, out);
  EXPECT_EQ(text_of(out / "side_by_side.csv"), text_of(made_data() / "side_by_side" / "side_by_side.csv"));
}

}  // namespace
}  // namespace ablate::reports::side_by_side_test
