#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "base/process/child_process.h"
#include "base/record/record_file.h"
#include "tests/support/committed_records.h"

namespace ablate::reports::committed_records_test {
namespace {

using nlohmann::ordered_json;
using test_support::committed_records;

TEST(CommittedRecords, HaveFactsOfTheKernelsThatTheyMeasuredAlone) {
  const auto records = committed_records();
  EXPECT_FALSE(records.empty());
  for (const auto& path : records) {
    const nlohmann::ordered_json record = parse_record_file(path);
    std::set<std::string> launched;
    for (const auto& entry : record["benchmarks"])
      for (const auto& kernel : entry["kernels"]) launched.insert(kernel["name"].get<std::string>());
    for (const auto& [name, facts] : record["context"]["ablate"]["kernels"].items())
      EXPECT_TRUE(launched.contains(name)) << path << " has " << name << "; `ablate dev record` rewrites it";
  }
}

/// `context.ablate.suite` as the file has it.
ordered_json suite_in_file(const std::filesystem::path& path) {
  const std::string text = process::run({"xz", "-dc", path.string()}).output;
  const std::string key = "\"suite\": ";
  std::istringstream rest(text.substr(text.find(key) + key.size()));
  ordered_json out;
  rest >> out;
  return out;
}

TEST(CommittedRecords, SayToReportsWhatTheyHaveBesideTheSuitesNameInAnOlderForm) {
  std::size_t older = 0, ladders = 0;
  for (const auto& path : committed_records()) {
    ordered_json before = suite_in_file(path);
    ordered_json today = parse_record_as_written(path)["context"]["ablate"]["suite"];
    for (const char* key : {"name", "hash"}) ASSERT_EQ(today.at(key), before.at(key)) << path;
    if (before.contains("report")) continue;
    ++older;
    const ordered_json report = today.value("report", ordered_json::object());
    for (const char* key : {"comparisons", "question"}) EXPECT_FALSE(today.contains(key)) << path;
    ordered_json question = report.value("question", ordered_json::object());
    for (const char* key : {"ladder", "exhibits"}) {
      EXPECT_FALSE(today.contains(key)) << path;
      EXPECT_EQ(question.value(key, ordered_json()), before.value(key, ordered_json())) << path << " " << key;
      ladders += question.erase(key);
    }
    EXPECT_EQ(question, before.value("question", ordered_json::object())) << path;
    EXPECT_EQ(report.value("comparisons", ordered_json()), before.value("comparisons", ordered_json()))
        << path;
  }
  EXPECT_TRUE(older == 0 || ladders > 0);
}

}  // namespace
}  // namespace ablate::reports::committed_records_test
