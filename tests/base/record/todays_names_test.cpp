#include "base/record/todays_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/record/record.h"
#include "base/record/record_file.h"
#include "base/record/todays_suite.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::todays_names_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const old_names& table() {
  static const old_names all(R"({
    "operations": {"scatter/items=1024": "gather"},
    "variants": {"gather/direct": "plain", "gather/merged": "plain_merged"},
    "axes": {}, "values": {},
    "switches": {"gather/launch=overlapped": "pdl=on", "*/turns": "pingpong", "*/turns=no": "pingpong=off"},
    "dropped": {"gather": ["items=1024", "layout"], "scatter": ["items=2048"]},
    "order": {}, "baselines": {"gather": "plain"}, "gone": {}})",
                             "names");
  return all;
}

/// Two cases of tests/reports/data/small_record.json, the second with another layout.
ordered_json two_cases() {
  ordered_json record = reports::made_record();
  ordered_json first = record["benchmarks"][0];
  for (const ordered_json& entry : record["benchmarks"])
    if (entry["operation"] == "scatter" && entry["axes"].value("items", "") == "1024") first = entry;
  ordered_json second = first;
  const auto name = [](ordered_json& entry, const std::string& layout) {
    entry["axes"]["layout"] = layout;
    std::string id = entry["operation"].get<std::string>() + "/" + entry["variant"].get<std::string>();
    for (const auto& [axis, value] : entry["axes"].items()) id += "/" + axis + "=" + value.get<std::string>();
    entry["name"] = id + "/@" + entry["cache_state"].get<std::string>();
    entry["run_name"] = entry["name"];
  };
  name(first, "rows");
  name(second, "columns");
  record["benchmarks"] = {first, second};
  record["unmeasured"] = ordered_json::array();
  return record;
}

TEST(TodaysNames, TwoCasesThatWouldBecomeOneKeepWhatTellsThemApart) {
  ordered_json record = two_cases();
  const auto written = give_todays_names(record, table());
  std::vector<std::string> names;
  for (const ordered_json& entry : record["benchmarks"]) names.push_back(entry["name"]);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_THAT(names[0], HasSubstr("gather/plain"));
  EXPECT_THAT(names[0], HasSubstr("/layout=rows/"));
  EXPECT_THAT(names[1], HasSubstr("/layout=columns/"));
  EXPECT_EQ(written.size(), 2u);
}

TEST(TodaysNames, OneCaseAloneLosesTheAxis) {
  ordered_json record = two_cases();
  const auto before = record["benchmarks"][0]["name"].get<std::string>();
  record["benchmarks"].erase(1);
  const auto written = give_todays_names(record, table());
  const ordered_json& entry = record["benchmarks"][0];
  EXPECT_FALSE(entry["axes"].contains("layout"));
  EXPECT_FALSE(entry["axes"].contains("items"));
  EXPECT_EQ(entry["operation"], "gather");
  EXPECT_EQ(entry["run_name"], entry["name"]);
  EXPECT_EQ(written.at(entry["name"].get<std::string>()), before);
}

TEST(TodaysNames, WhatRefersToCasesFollows) {
  ordered_json record = two_cases();
  record["benchmarks"].erase(1);
  record["benchmarks"][0]["in_turns"] = {{{"direct", 1}, {"merged", 2}, {"cudnn", 3}}};
  record["context"]["ablate"]["rivals"] = {{{"operations", {"scatter"}}, {"variants", {"cudnn"}}}};
  record["context"]["ablate"]["ceilings"]["x"] = {{"case", record["benchmarks"][0]["name"]}};
  give_todays_names(record, table());
  std::vector<std::string> turns;
  for (const auto& [variant, us] : record["benchmarks"][0]["in_turns"][0].items()) turns.push_back(variant);
  EXPECT_THAT(turns, ElementsAre("plain", "plain_merged", "cudnn"));
  EXPECT_EQ(record["context"]["ablate"]["rivals"][0]["operations"], ordered_json({"gather"}));
  EXPECT_EQ(record["context"]["ablate"]["ceilings"]["x"]["case"], record["benchmarks"][0]["name"]);
}

TEST(TodaysNames, SwitchesFollow) {
  ordered_json record = two_cases();
  record["benchmarks"].erase(1);
  ordered_json& entry = record["benchmarks"][0];
  entry["switches"] = {{"launch", "overlapped"}, {"turns", "no"}, {"smem", "on"}};
  give_todays_names(record, table());
  EXPECT_EQ(entry["switches"], ordered_json({{"pdl", "on"}, {"pingpong", "off"}, {"smem", "on"}}))
      << "by rules of what the operation is today";
}

TEST(TodaysNames, AFamilyToldByASwitchThatIsNoMoreIsToldByItsVariants) {
  const old_names gone(R"({
    "operations": {}, "variants": {"gather/direct": "plain"}, "axes": {}, "values": {},
    "switches": {"gather/smem": null}, "dropped": {}, "order": {}, "baselines": {}, "gone": {}})",
                       "names");
  const auto families_of = [&](const std::string& operation) {
    ordered_json record = two_cases();
    const std::vector<std::string> variants = {"direct", "staged"}, smem = {"off", "on"};
    for (std::size_t i = 0; i < 2; ++i) {
      ordered_json& entry = record["benchmarks"][i];
      entry["operation"] = operation;
      entry["variant"] = variants[i];
      entry["switches"] = {{"smem", smem[i]}};
    }
    record["context"]["ablate"]["suite"]["report"]["question"] = ordered_json::parse(R"({
        "text": "?",
        "families": [{"name": "with", "switches": {"smem": ["on"]}}, {"name": "without", "switches": {"smem": "off"}},
                     {"name": "none", "switches": {"smem": ["off"]}, "variants": ["staged"]},
                     {"name": "named", "variants": ["staged"]}],
        "workloads": [{"operations": ["gather", "sum"], "along": "items"}]})");
    give_todays_names(record, gone);
    return record["context"]["ablate"]["suite"]["report"]["question"]["families"];
  };
  EXPECT_EQ(families_of("gather"), ordered_json::parse(R"([
      {"name": "with", "variants": ["staged"]}, {"name": "without", "variants": ["plain"]},
      {"name": "none", "switches": {"smem": ["off"]}, "variants": ["staged"]}, {"name": "named", "variants": ["staged"]}])"));
  EXPECT_EQ(families_of("sum")[0], ordered_json::parse(R"({"name": "with", "switches": {"smem": ["on"]}})"))
      << "which has it still";
}

TEST(TodaysNames, PointsAreNamedAsTodayWhereverTheyStand) {
  ordered_json record = two_cases();
  ordered_json& entry = record["benchmarks"][0];
  entry["operation"] = "sum";
  entry["variant"] = "plain";
  entry["in_turns"] = {{{"plain", 1}, {"plain+turns=no", 2}}};
  record["benchmarks"][1]["variant"] = "direct+launch=overlapped";
  record["context"]["ablate"]["operations"]["sum"] = {{"variants", {{"plain+turns=no", "d"}}}};
  give_todays_names(record, table());
  EXPECT_TRUE(entry["in_turns"][0].contains("plain+pingpong=off"));
  EXPECT_EQ(record["benchmarks"][1]["variant"], "plain+pdl");
  EXPECT_THAT(record["benchmarks"][1]["name"].get<std::string>(), HasSubstr("gather/plain+pdl/"));
  EXPECT_TRUE(record["context"]["ablate"]["operations"]["sum"]["variants"].contains("plain+pingpong=off"));
}

TEST(TodaysNames, TwoSwitchesThatAreOneTodayNeedOneValue) {
  ordered_json record = two_cases();
  ordered_json& switches = record["benchmarks"][1]["switches"];
  switches = {{"pdl", "on"}, {"launch", "overlapped"}};
  give_todays_names(record, table());
  EXPECT_EQ(switches, ordered_json({{"pdl", "on"}}));
  record = two_cases();
  record["benchmarks"][1]["switches"] = {{"pdl", "off"}, {"launch", "overlapped"}};
  EXPECT_THAT(test_support::refusal_from([&] { give_todays_names(record, table(), "old.json"); }),
              HasSubstr("old.json: /benchmarks/1/switches: expected one value of 'pdl', found 'off'"));
}

TEST(TodaysNames, OperationsAreDescribedByPart) {
  ordered_json record = two_cases();
  ordered_json& operations = record["context"]["ablate"]["operations"];
  operations = {{"scatter",
                 {{"description", "d"},
                  {"baseline", "merged"},
                  {"axes", {{"items", "i"}, {"layout", "l"}, {"kind", "k"}}},
                  {"variants", {{"direct", "1"}, {"merged", "2"}, {"other", "3"}}},
                  {"silent_axes", {{"layout", "rows"}}}}}};
  ordered_json other = record["benchmarks"][1];
  other["axes"]["items"] = "2048";
  other["name"] = "scatter/direct/items=2048/@hot";
  record["benchmarks"].push_back(other);
  give_todays_names(record, table());
  const ordered_json& gather = record["context"]["ablate"]["operations"]["gather"];
  EXPECT_EQ(gather["baseline"], "plain");
  EXPECT_EQ(gather["axes"], ordered_json({{"kind", "k"}}));
  EXPECT_EQ(gather["silent_axes"], ordered_json::object());
  EXPECT_TRUE(gather["variants"].contains("plain"));
  const ordered_json& scatter = record["context"]["ablate"]["operations"]["scatter"];
  EXPECT_TRUE(scatter["variants"].contains("other"));
}

TEST(TodaysNames, ARecordOfTodayStaysAsItIs) {
  ordered_json record = reports::parse_record_file(reports::made_record_path());
  const ordered_json before = record;
  EXPECT_TRUE(give_todays_names(record).empty());
  EXPECT_EQ(record.dump(), before.dump());
  ordered_json none = "text";
  EXPECT_TRUE(give_todays_names(none).empty());
}

TEST(TodaysNames, TwoCasesOfOneIdAreRefusedAndNotLost) {
  ordered_json record = two_cases();
  record["benchmarks"][1] = record["benchmarks"][0];
  const auto path = reports::written("record.json", record.dump());
  EXPECT_THAT(test_support::refusal_from([&] { read_record(path); }),
              HasSubstr("expected a case of its own"));
}

/// A suite of the program's own operations as they were.
ordered_json old_suite() {
  return ordered_json::parse(R"({
    "name": "s", "description": "d",
    "question": {
      "text": "?",
      "families": [
        {"name": "sparse", "variants": "hopper", "axes": {"method": "sparse"}},
        {"name": "dense", "variants": ["dense", "hopper_dense"], "axes": {"method": "dense"}}],
      "workloads": {"operations": "gated_attention", "along": "images",
                    "axes": {"images": [32, 64], "block": "16", "rows": "all", "scores": "scene"}}},
    "cases": [
      {"operation": "gated_attention", "variants": ["hopper", "threshold", "hopper_dense"],
       "axes": {"images": [32, 64], "method": ["sparse", "dense"], "block": "16"},
       "exclude": [{"method": "sparse", "images": 64}, {"method": "dense", "variant": "hopper_dense", "images": 32}]},
      {"operation": "gated_attention", "axes": {"images": 8}}]})");
}

TEST(TodaysSuites, BlocksOfADividedOperationBecomeOneForEachPart) {
  ordered_json suite = old_suite();
  rename_suite(suite, "old.json", [](const std::string& operation, const std::string& variant) {
    return operation == "gated_attention" || variant == "hopper";
  });
  const ordered_json& blocks = suite["cases"];
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0],
            ordered_json::parse(
                R"({"operation": "gated_attention", "variants": ["hopper", "threshold", "hopper_dense"],
                               "axes": {"images": [32, 64], "block": "16"}, "exclude": [{"images": 64}]})"));
  EXPECT_EQ(blocks[1], ordered_json::parse(
                           R"({"operation": "dense_attention", "variants": ["hopper"],
                               "axes": {"images": [32, 64]}, "exclude": [{"variant": ["hopper"], "images": 32}]})"));
  EXPECT_EQ(blocks[2], ordered_json::parse(R"({"operation": "gated_attention", "axes": {"images": 8}})"));
}

TEST(TodaysSuites, AQuestionIsAskedOfTheParts) {
  ordered_json suite = old_suite();
  rename_suite(suite, "old.json");
  EXPECT_EQ(suite["report"]["question"], ordered_json::parse(R"({
      "text": "?",
      "families": [
        {"name": "sparse", "variants": "hopper", "operations": ["gated_attention"], "axes": {"block": "16"}},
        {"name": "dense", "variants": ["mma", "hopper"], "operations": ["dense_attention"], "axes": {"rows": "all"}}],
      "workloads": {"operations": ["gated_attention", "dense_attention"], "along": "images",
                    "axes": {"images": [32, 64], "scores": "scene"}}})"));
}

TEST(TodaysSuites, SwitchesOfBlocksAndFamiliesAreNamedAsToday) {
  ordered_json suite = ordered_json::parse(R"({
    "question": {
      "text": "?",
      "families": [
        {"name": "early", "switches": {"launch": "overlapped"}},
        {"name": "points", "variants": ["plain+turns=no", "plain"]},
        {"name": "others", "operations": "sum", "switches": {"launch": "overlapped", "turns": ["no"]}}],
      "workloads": {"operations": ["gather", "sum"], "along": "kind"}},
    "ladder": {"operation": "sum", "steps": [{"variant": "plain"}, {"variant": "plain+turns=no"}]},
    "cases": [
      {"operation": "gather", "variants": ["merged+launch=overlapped"], "switches": {"launch": "*", "turns": ["no", 3]}},
      {"operation": "sum", "switches": {"turns": "*", "smem": "on"}}]})");
  testing::internal::CaptureStderr();
  rename_suite(suite, "turns.json", {}, table());
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(suite["cases"], ordered_json::parse(R"([
      {"operation": "gather", "variants": ["plain_merged+pdl"], "switches": {"pdl": "*", "pingpong": ["off", "3"]}},
      {"operation": "sum", "switches": {"pingpong": "*", "smem": "on"}}])"));
  EXPECT_THAT(told, HasSubstr("gather/launch=* is pdl=*"));
  const ordered_json& families = suite["report"]["question"]["families"];
  EXPECT_EQ(families[0]["switches"], ordered_json({{"pdl", "on"}}));
  EXPECT_EQ(families[2]["switches"], ordered_json::parse(R"({"launch": "overlapped", "pingpong": ["off"]})"))
      << "the rule is of another operation";
  EXPECT_EQ(families[1]["variants"], ordered_json({"plain+pingpong=off", "plain"}));
  EXPECT_EQ(suite["report"]["question"]["ladder"]["steps"][1]["variant"], "plain+pingpong=off");
}

TEST(TodaysSuites, WhatNoOneSwitchSaysStays) {
  const old_names moved(R"({
    "operations": {}, "variants": {}, "axes": {}, "values": {},
    "switches": {"sum/launch=overlapped": "pdl=on", "sum/launch=graph": "graphs=on"},
    "dropped": {}, "order": {}, "baselines": {}, "gone": {}})",
                        "names");
  for (const char* switches : {R"({"launch": ["overlapped", "graph"]})", R"({"launch": "*"})",
                               R"({"launch": "overlapped", "pdl": "off"})", R"({"launch": {"a": 1}})"}) {
    ordered_json suite = {{"cases", {{{"operation", "sum"}, {"switches", ordered_json::parse(switches)}}}}};
    rename_suite(suite, "moved.json", {}, moved);
    EXPECT_EQ(suite["cases"][0]["switches"], ordered_json::parse(switches));
  }
}

TEST(TodaysSuites, ASuiteOfTodayStaysAsItIs) {
  for (const char* name : {"gated_attention", "ordering", "block", "backbone", "pooling"}) {
    const auto path = test_support::source_path(std::string("suites/") + name + ".json");
    ordered_json suite = ordered_json::parse(reports::text_of(path));
    const ordered_json before = suite;
    rename_suite(suite, name);
    EXPECT_EQ(suite.dump(), before.dump()) << name;
  }
}

}  // namespace
}  // namespace ablate::todays_names_test
