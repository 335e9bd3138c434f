#include "reports/history/ended.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/history/made_history.h"
#include "tests/support/capability.h"

namespace ablate::history::ended_test {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string direct = "scatter/direct/items=1024/layout=rows/@cold-clean";

/// A history of made nights.
struct ended_series : ::testing::Test {
  test_support::temporary_directory folder;

  void SetUp() override {
    if (const std::string why = why_no_sqlite(); !why.empty()) ABLATE_LACKS("sqlite", why);
  }
  void add(const ordered_json& record) const {
    database::open_for_adding(folder.path() / "history.sqlite")
        .add(folder.write("record.json", record.dump()));
  }
  /// What is told of all series.
  std::vector<std::string> told() const {
    database from = database::open(folder.path() / "history.sqlite");
    const std::vector<series> all = from.all_series();
    std::vector<std::string> out;
    for (const series& s : all)
      for (const series_end& end : ends_of(s, all, from.records())) out.push_back(end_text(s, end));
    return out;
  }
};

ordered_json& entry_of(ordered_json& record) {
  for (ordered_json& entry : record["benchmarks"])
    if (entry["name"] == direct) return entry;
  throw std::out_of_range(direct);
}

ordered_json without_case(ordered_json record) {
  ordered_json& entries = record["benchmarks"];
  entries.erase(entries.begin() + (&entry_of(record) - &entries[0]));
  return record;
}

TEST_F(ended_series, AreNoneWhereTheNewestRecordHasEveryCase) {
  add(night_record(0));
  add(without_case(night_record(1)));
  add(night_record(2));
  EXPECT_TRUE(told().empty());
}

TEST_F(ended_series, ACaseThatTheNewestRecordLacksIsGoneSinceTheFirstWithoutIt) {
  add(night_record(0));
  add(night_record(1));
  add(without_case(night_record(3)));
  add(without_case(night_record(2)));  // the order of adding is not that of the dates
  const auto lines = told();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], AllOf(HasSubstr("GONE: " + direct + " on Imaginary GPU: suite made_by_hand "),
                              HasSubstr("since 2026-01-03T03:00:00+00:00 (0000000000+)"),
                              HasSubstr("last measured on 2026-01-02T03:00:00+00:00 ")));
}

TEST_F(ended_series, ACaseWithAnotherInputSeedOrMethodIsDifferent) {
  for (const auto& [change, said] : std::vector<std::pair<void (*)(ordered_json&), std::string>>{
           {[](ordered_json& r) { entry_of(r)["input"]["hash"] = "00000000000000ff"; },
            "its input has the hash 00000000000000ff, not "},
           {[](ordered_json& r) { entry_of(r)["time_us"]["method"] = "graph"; },
            "it is timed by graph, not by events"}}) {
    std::filesystem::remove_all(folder.path() / "history.sqlite");
    add(night_record(0));
    ordered_json changed = night_record(1);
    change(changed);
    add(changed);
    const auto lines = told();
    ASSERT_EQ(lines.size(), 1u) << said;
    EXPECT_THAT(lines[0], AllOf(HasSubstr("DIFFERENT: " + direct), HasSubstr(said),
                                HasSubstr(" since 2026-01-02T03:00:00+00:00")));
  }
  ordered_json seeded = night_record(2);
  seeded["context"]["ablate"]["seed"] = 8;
  add(seeded);
  EXPECT_THAT(told().at(0), HasSubstr("its seed is 8, not 7"));
}

TEST_F(ended_series, ASuiteIsHeldToItsOwnRecordsOnOneKindOfDevice) {
  add(night_record(0));
  ordered_json other_suite = without_case(night_record(1));
  other_suite["context"]["ablate"]["suite"]["name"] = "other";
  add(other_suite);
  ordered_json other_device = without_case(night_record(2));
  other_device["context"]["ablate"]["device"]["multiprocessors"] = 11;
  add(other_device);
  EXPECT_TRUE(told().empty());
}

TEST_F(ended_series, AnotherKindOfGpuEndsNoSeries) {
  int day = 0;
  for (const auto& [uuid, copy_us] : std::vector<std::pair<std::string, double>>{
           {"GPU-a", 2000}, {"GPU-b", 2001}, {"GPU-x", 2200}, {"GPU-y", 2201}})
    add(night_on(uuid, copy_us, day++));
  add(without_case(night_on("GPU-x", 2200, day++)));
  const auto lines = told();
  ASSERT_EQ(lines.size(), 1u) << "the series of kind A go on with the next record from a GPU of kind A";
  EXPECT_THAT(lines[0], HasSubstr("GONE: " + direct + " on Imaginary GPU of kind B: "));
}

TEST_F(ended_series, ARecordThatMeasuredNothingEndsThemAll) {
  add(night_record(0));
  ordered_json empty = night_record(1);
  const std::size_t cases = empty["benchmarks"].size();
  empty["benchmarks"] = ordered_json::array();
  add(empty);
  EXPECT_EQ(told().size(), cases);
}

}  // namespace
}  // namespace ablate::history::ended_test
