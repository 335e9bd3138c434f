#include "reports/record/todays_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/record/compact_counters.h"
#include "reports/record/record.h"
#include "reports/record/todays_suite.h"
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
  EXPECT_EQ(suite["question"], ordered_json::parse(R"({
      "text": "?",
      "families": [
        {"name": "sparse", "variants": "hopper", "operations": ["gated_attention"], "axes": {"block": "16"}},
        {"name": "dense", "variants": ["mma", "hopper"], "operations": ["dense_attention"], "axes": {"rows": "all"}}],
      "workloads": {"operations": ["gated_attention", "dense_attention"], "along": "images",
                    "axes": {"images": [32, 64], "scores": "scene"}}})"));
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
