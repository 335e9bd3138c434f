#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/harness/gate/made_launches.h"
#include "tests/reports/history/made_history.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

// What the commands that read records say of broken, truncated and mixed ones: one line that names the file,
// the place in it and what was expected, and exit code 2.

namespace ablate::broken_records_test {
namespace {

using nlohmann::ordered_json;
using test_support::made_launches;
using test_support::program_result;
using test_support::run_ablate;
using test_support::slurp;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;

const std::string made_record = test_support::source_path("tests/reports/data/small_record.json");
const std::string suite = test_support::source_path("suites/quick.json");

/// Every command that reads a record, with `record` as the one, or as one of two.
std::vector<std::vector<std::string>> commands_on(const std::string& record, const std::string& out) {
  std::vector<std::vector<std::string>> all = {
      {"report", record, "--out", out},
      {"report", made_record, record, "--out", out},
      {"claims", record},
      {"claims", made_record, record, "--out", out},
      {"explain", record, "scatter"},
      {"attribute", record},
      {"dev", "trace", record, "--out", out + ".json"},
      {"predict", "scatter", "--on", "h100", "--from", record},
      {"compare", record, made_record},
      {"compare", made_record, record},
      {"compare", "--baseline", made_record, record, "--candidate", made_record}};
  if (history::why_no_sqlite().empty())
    all.push_back({"dev", "history", "add", record, "--database", out + ".sqlite"});
  return all;
}

void expect_refusal(const program_result& said, const std::string& file, const std::string& rest) {
  EXPECT_EQ(said.exit_code, 2) << said.error;
  EXPECT_EQ(said.error, "ablate: " + file + ": " + rest + "\n");
}

class BrokenRecords : public ::testing::Test {
 protected:
  std::string at(const char* name) const { return (files.path() / name).string(); }

  void expect_all_refuse(const std::string& file, const std::string& rest) const {
    for (const auto& command : commands_on(file, at("out"))) {
      SCOPED_TRACE(command.front());
      expect_refusal(run_ablate(command), file, rest);
    }
    EXPECT_FALSE(std::filesystem::exists(at("out"))) << "nothing is written before all is read";
  }

  std::string written(const std::function<void(ordered_json&)>& change) const {
    ordered_json made = ordered_json::parse(slurp(made_record));
    change(made);
    return files.write("changed.json", made.dump(1)).string();
  }

  test_support::temporary_directory files;
};

TEST_F(BrokenRecords, CutAtFiftyPlacesNameLineAndPlace) {
  const std::string whole = slurp(made_record);
  for (std::size_t i = 0; i < 50; ++i) {
    const std::string cut = whole.substr(0, i * (whole.size() - 2) / 50);
    SCOPED_TRACE(cut.size());
    const program_result said = run_ablate({"explain", files.write("cut.json", cut).string(), "scatter"});
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_EQ(said.out, "");
    const auto line = 1 + std::count(cut.begin(), cut.end(), '\n');
    EXPECT_THAT(said.error,
                AllOf(StartsWith("ablate: " + at("cut.json") + ": line " + std::to_string(line) + ", /"),
                      EndsWith(": expected more: the file ends before its JSON does\n")));
  }
}

TEST_F(BrokenRecords, EveryCommandRefusesACutOne) {
  const std::string whole = slurp(made_record);
  const std::string median = "\"median\":5.0";
  const std::string cut = files.write("cut.json", whole.substr(0, whole.find(median) + 9)).string();
  const auto line =
      1 + std::count(whole.begin(), whole.begin() + static_cast<long>(whole.find(median)), '\n');
  expect_all_refuse(cut,
                    "line " + std::to_string(line) +
                        ", /benchmarks/2/time_us/median: expected more: the file ends before its JSON does");
}

TEST_F(BrokenRecords, EveryCommandRefusesAnotherMajorVersion) {
  for (const char* version : {"3.0.0", "0.9.0", "10.4.0", "1", ""})
    expect_all_refuse(
        written([&](ordered_json& r) { r["context"]["ablate"]["record_schema"] = version; }),
        std::string("/context/ablate/record_schema: expected version 1.x.y or 2.x.y of the record's schema, "
                    "found '") +
            version + "'");
}

TEST_F(BrokenRecords, EveryCommandRefusesAWrongType) {
  expect_all_refuse(written([](ordered_json& r) { r["benchmarks"][3]["time_us"]["median"] = "fast"; }),
                    "/benchmarks/3/time_us/median: expected a number, found \"fast\"");
  expect_all_refuse(written([](ordered_json& r) { r["context"].erase("ablate"); }),
                    "/context: expected a key 'ablate', found none");
}

TEST_F(BrokenRecords, EveryCommandRefusesWhatIsNoRecord) {
  expect_all_refuse(files.write("empty.json", "").string(),
                    "line 1, /: expected more: the file ends before its JSON does");
  expect_all_refuse(suite, "/: expected a key 'context', found none");
  expect_all_refuse(at("none.json"), "expected a readable file");
  expect_all_refuse(files.write("noise.json", "{\"context\": {\"date\": \x80").string(),
                    "line 1, /context/date: expected JSON (numbers are finite: neither NaN nor Infinity)");
}

TEST_F(BrokenRecords, AFolderWithoutARecordIsToldByTheFileThatIsMissing) {
  std::filesystem::create_directories(at("empty"));
  for (const auto& command : commands_on(at("empty"), at("out")))
    if (command[0] == "claims" || command[0] == "predict")  // these take a folder of folders too
      expect_refusal(run_ablate(command), at("empty"),
                     "expected a record.json in it, or in directories below it");
    else
      expect_refusal(run_ablate(command), at("empty") + "/record.json", "expected a readable file");
}

TEST_F(BrokenRecords, WhatTheyQuoteStaysInOneLine) {
  expect_refusal(
      run_ablate({"explain",
                  written([](ordered_json& r) { r["context"]["ablate"]["record_schema"] = "3\n\x1b[31m"; }),
                  "scatter"}),
      at("changed.json"),
      "/context/ablate/record_schema: expected version 1.x.y or 2.x.y of the record's schema, found "
      "'3\\x0a\\x1b[31m'");
}

TEST_F(BrokenRecords, OlderMinorVersionsAreReadBesideNewerOnes) {
  const std::string old = written([](ordered_json& r) {
    r["context"]["ablate"]["record_schema"] = "1.0.0";
    r["context"]["ablate"]["device"]["name"] = "Another GPU";
    for (ordered_json& entry : r["benchmarks"]) {
      entry.erase("quality");
      entry["work"].erase("random");
      entry["floors"].erase("random_us");
    }
  });
  for (const auto& command : commands_on(old, at("out"))) {
    if (command[0] == "compare" || command[0] == "explain") continue;
    const program_result said =
        run_ablate(command, {"ABLATE_REPORTS_DIR=" + test_support::source_path("reports")});
    EXPECT_EQ(said.exit_code, 0) << command[0] << ": " << said.error;
  }
  const program_result said = run_ablate({"compare", old, made_record, "--allow", "device"});
  EXPECT_EQ(said.exit_code, 0) << "two kinds of GPU are no gate: " << said.error;
  EXPECT_EQ(said.error, "");
}

TEST_F(BrokenRecords, AGateNamesTheLaunchThatIsBroken) {
  const made_launches few{.count = 6};
  const auto gate = [&](const std::string& broken) {
    test_support::write_launches(files.path() / "baseline", few);
    test_support::write_launches(files.path() / "candidate", few);
    std::filesystem::copy_file(broken, files.path() / "candidate/0004-launch/record.json",
                               std::filesystem::copy_options::overwrite_existing);
    return run_ablate({"gate", suite, "--baseline", at("baseline"), "--candidate", at("candidate"),
                       "--policy", files.write("policy.json", test_support::made_policy().dump()).string(),
                       "--out", at("out")});
  };
  const std::string launch = at("candidate/0004-launch/record.json");
  const std::string whole = slurp(made_record);
  expect_refusal(gate(files.write("cut.json", whole.substr(0, 100)).string()), launch,
                 "line 5, /context/executable: expected more: the file ends before its JSON does");
  expect_refusal(
      gate(written([](ordered_json& r) { r["context"]["ablate"]["record_schema"] = "3.0.0"; })), launch,
      "/context/ablate/record_schema: expected version 1.x.y or 2.x.y of the record's schema, found '3.0.0'");
  const std::string first = at("candidate/0000-check/record.json");
  expect_refusal(gate(written([](ordered_json& r) { r["context"]["ablate"]["seed"] = 8; })), launch,
                 "/context/ablate/seed: expected 7 as in " + first + ", found 8");
  expect_refusal(
      gate(written([](ordered_json& r) { r["context"]["ablate"]["device"]["uuid"] = "GPU-other"; })), launch,
      "/context/ablate/device/uuid: expected GPU-none as in " + first + ", found GPU-other");
}

}  // namespace
}  // namespace ablate::broken_records_test
