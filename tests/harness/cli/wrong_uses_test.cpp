#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/reports/history/made_history.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::wrong_uses_test {
namespace {

using test_support::program_result;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int usage = 2, requirement = 1, unfit = 4;

/// Words may name what the fixture made: SUITE, RECORD (a made one), NOTHING (no such file), TORN (half a
/// JSON file), EMPTY (a folder), UNWRITABLE (a place below a file), HISTORY, OUT (a fresh folder) and SELF
/// (this program).
struct wrong_use {
  std::vector<std::string> words;
  int exit_code;
  std::string saying;
};

const std::vector<wrong_use>& wrong_uses() {
  static const std::vector<wrong_use> all = {
      {{}, usage, "A subcommand is required"},
      {{"lsit"}, usage, "no command 'lsit' (did you mean 'list'?)"},
      {{"--verion"}, usage, "no option '--verion' (did you mean '--version'?)"},

      {{"list", "voxelise"}, usage, "no operation 'voxelise' (did you mean 'voxelize'?)"},
      {{"list", "--jsn"}, usage, "no option '--jsn' (did you mean '--json'?)"},
      {{"list", "voxelize", "psh_bucket"}, usage, "unexpected argument 'psh_bucket'"},

      {{"plan"}, usage, "suite is required"},
      {{"plan", "NOTHING"}, usage, "expected a readable file"},
      {{"plan", "EMPTY"}, usage, "expected a file, found a directory"},
      {{"plan", "TORN"}, usage, "the file ends before its JSON does"},
      {{"plan", "SUITE", "--chip", "h20"}, usage, "no chip 'h20' (did you mean 'h200'?)"},
      {{"plan", "SUITE", "--filter", "("}, usage, "'(' is not a regular expression"},
      {{"plan", "SUITE", "--filter", "no_such_id"}, usage, "no case has 'no_such_id' in its id"},
      {{"plan", "SUITE", "--filter", "points=1"}, usage, "--filter: no value of axis 'points' '1'"},
      {{"plan", "SUITE", "--filter", "variant=warp_mtch"}, usage, "(did you mean 'warp_match'?)"},
      {{"plan", "SUITE", "--axes", "pionts=5"},
       usage,
       "no axis of the suite 'pionts' (did you mean 'points'?)"},
      {{"plan", "SUITE", "--axes", "points=many"}, usage, "'many' is no value of axis 'points'"},
      {{"plan", "SUITE", "--axes", "distribution=lidr"}, usage, "(did you mean 'lidar'?)"},
      {{"plan", "SUITE", "--variants", "warp_mtch"}, usage, "(did you mean 'warp_match'?)"},

      {{"plan", "SUITE", "--axes", "points=9..12"},
       usage,
       "expected a range of powers of two, as 2^16..2^24"},
      {{"plan", "SUITE", "--axes", "points=2^12..2^9"}, usage, "expected a range of powers of two"},
      {{"plan", "--axes", "points=5", "SUITE", "--json"}, usage, "expected AXIS=VALUE[,VALUE...], found "},
      {{"plan", "voxelise"}, usage, "no operation 'voxelise' (did you mean 'voxelize'?)"},
      {{"plan", "voxelize", "--axes", "pionts=5"}, usage, "(did you mean 'points'?)"},
      {{"plan", "voxelize", "--axes", "distribution=lidr"}, usage, "(did you mean 'lidar'?)"},
      {{"plan", "voxelize", "--variants", "warp_mtch"}, usage, "(did you mean 'warp_match'?)"},
      {{"plan", "voxelize", "--switch", "thread=4"}, usage, "(did you mean 'threads'?)"},
      {{"plan", "SUITE", "--write-suite", "OUT"}, usage, "--write-suite: expected an operation"},

      {{"plan", "SUITE", "--metrics", "no__such_metric.sum"}, usage, "--metrics: "},
      {{"run", "SUITE", "--metrics", "no__such_metric.sum", "--device", "host"}, usage, "--metrics: "},
      {{"plan", "SUITE", "--metric-groups", "NOTHING"}, usage, "expected a readable file"},
      {{"run", "SUITE", "--metric-groups", "TORN", "--device", "host"},
       usage,
       "the file ends before its JSON does"},
      {{"plan", "SUITE", "--shards", "0"}, usage, "--shards: Value 0 not in range"},
      {{"plan", "SUITE", "--shards", "2", "--durations", "RECORD"}, usage, "expected cases with elapsed_s"},

      {{"run", "SUITE", "--shard", "5/4", "--device", "host"}, usage, "'5/4' is no shard; expected i/n"},
      {{"run", "SUITE", "--shard", "one", "--device", "host"}, usage, "'one' is no shard"},
      {{"run", "SUITE", "--shard", "1/2", "--only", "x"}, usage, "--only excludes --shard"},
      {{"run", "SUITE", "--durations", "RECORD"}, usage, "--durations: expected with --shard or --devices"},
      {{"run", "SUITE", "--shard", "1/2", "--chip", "h20"}, usage, "no chip 'h20' (did you mean 'h200'?)"},
      {{"run", "SUITE", "--device", "gpu"},
       usage,
       "'gpu' is not a device; expected the number of a GPU, or 'host'"},
      {{"run", "SUITE", "--seed", "-1"}, usage, "'-1' is not a seed"},
      {{"run", "SUITE", "--counters", "cor"}, usage, "no set of counters 'cor' (did you mean 'core'?)"},
      {{"run", "SUITE", "--samples", "0"}, usage, "--samples: Value 0 not in range"},
      {{"run", "SUITE", "--data", "NOTHING"}, usage, "is not a directory; expected one with point files"},
      {{"run", "SUITE", "--axes", "cache=warm", "--device", "host"}, usage, "no cache state 'warm'"},
      {{"run", "SUITE", "--device", "host", "--out", "UNWRITABLE"}, usage, "expected a writable place"},
      {{"run", "SUITE", "--device", "host", "--out", "OUT", "--only", "nope"},
       usage,
       "no case is or has 'nope'"},
      {{"run", "SUITE", "--device", "host", "--out", "OUT", "--only", "a/b/@host"},
       usage,
       "the suite has none of these cases"},
      {{"run", "SUITE", "--device", "host", "--out", "OUT", "--only", "pionts=5"},
       usage,
       "no axis 'pionts' (did you mean 'points'?)"},
      {{"run", "SUITE", "--device", "host", "--out", "OUT", "--filter", "distribution=lidr"},
       usage,
       "no value of axis 'distribution' 'lidr'"},

      {{"run", "SUITE", "--device", "host", "--out", "OUT", "--together", "operation"},
       usage,
       "expected with --shard or --devices"},

      {{"dev", "record", "NOTHING"}, usage, "expected a readable file"},
      {{"dev", "record", "EMPTY"}, usage, "expected a readable file"},
      {{"dev", "record", "RECORD", "RECORD", "--out", "OUT"}, usage, "expected 1.12.0 or later"},
      {{"dev", "record", "NOTHING", "--out", "OUT"}, usage, "expected a readable file"},
      {{"dev", "record", "RECORD", "--partial"}, usage, "--partial requires --out"},
      {{"dev", "record", "RECORD", "--out", "OUT", "--allow", "devic"}, usage, "(did you mean 'device'?)"},
      {{"dev", "verify"}, usage, "records is required"},
      {{"dev", "verify", "TORN"}, usage, "the file ends before its JSON does"},
      {{"dev", "verify", "RECORD", "--beside", "NOTHING"}, usage, "expected a readable file"},
      {{"dev", "verify", "RECORD", "--json", "UNWRITABLE"}, usage, "cannot be written"},
      {{"dev", "verify", "RECORD", "--redact"}, usage, "--redact requires --out"},
      {{"dev", "verify", "NOTHING", "--out", "OUT"}, usage, "expected a readable file"},
      {{"dev", "verify", "RECORD", "RECORD", "--out", "OUT"}, usage, "--out: expected one record, found 2"},
      {{"dev", "launch", "SUITE", "--poisoned", "x"}, usage, "--poisoned requires --bare"},
      {{"dev", "turns", "SUITE", "--longest-wait", "0"}, usage, "Value 0 not in range"},
      {{"dev", "sample", "--device", "one"}, usage, "--device"},

      {{"report", "RECORD"}, usage, "--out is required"},
      {{"report", "RECORD", "--out", "UNWRITABLE"}, usage, "expected a writable place"},
      {{"report", "RECORD", "--out", "OUT", "--figures", "nose"},
       usage,
       "no figure 'nose' (did you mean 'noise'?)"},
      {{"report", "RECORD", "--out", "OUT", "--figures", "noise", "--variants", "mergd"},
       usage,
       "no variant 'mergd' (did you mean 'merged'?)"},
      {{"report", "RECORD", "--out", "OUT", "--figures", "noise", "--variants", "merged"},
       usage,
       "figure 'noise' has no choice of variants"},
      {{"report", "RECORD", "--out", "OUT", "--figures", "noise", "--width", "3.4im"},
       usage,
       "--width: no unit 'im' (did you mean 'in'?)"},
      {{"report", "RECORD", "--out", "OUT", "--figures", "noise", "--width", "3.4"},
       usage,
       "--width: expected a unit after '3.4'"},
      {{"report", "RECORD", "--out", "OUT", "--figures", "noise", "--width", "1mm"},
       usage,
       "--width: expected a width from 1in to 40in"},
      {{"report", "RECORD", "--out", "OUT", "--figures", "noise", "--font-size", "big"},
       usage,
       "--font-size: expected a length such as '8pt', found 'big'"},
      {{"report", "RECORD", "--out", "OUT", "--width", "3.4in"}, usage, "--width requires --figures"},
      {{"report", "RECORD", "--figures", "noise"}, usage, "--out is required"},
      {{"report", "RECORD", "RECORD", "--out", "OUT"}, usage, "expected each record once"},
      {{"claims", "RECORD", "--claims", "NOTHING"}, usage, "expected a readable file"},
      {{"dev", "quote"}, usage, "document is required"},
      {{"dev", "quote", "NOTHING", "--check", "--write"}, usage, "--check excludes --write"},

      {{"best", "RECORD", "itms=3"}, usage, "no axis 'itms' (did you mean 'items'?)"},
      {{"best", "RECORD", "layout=row"}, usage, "(did you mean 'rows'?)"},
      {{"best", "RECORD", "items=few"}, usage, "expected an integer as value of axis 'items'"},
      {{"best", "RECORD", "items"}, usage, "'items' is neither a record nor AXIS=VALUE"},
      {{"best", "items=3"}, usage, "expected a record before the axis values"},
      {{"best", "RECORD", "--on", "h20"}, usage, "(did you mean 'h200'?)"},
      {{"search", "--budget", "9"}, usage, "operation is required"},
      {{"search", "voxelize"}, usage, "--budget is required"},
      {{"search", "voxelise", "--budget", "9"}, usage, "(did you mean 'voxelize'?)"},
      {{"search", "voxelize", "--budget", "9", "--axes", "points=1,2"},
       usage,
       "expected one value of 'points'"},
      {{"dev", "search-check", "NOTHING"}, usage, "expected a readable file"},
      {{"predict", "--on", "h100"}, usage, "operation is required"},
      {{"predict", "voxelize"}, usage, "--on is required"},
      {{"predict", "voxelise", "--on", "h100"},
       usage,
       "no measured operation 'voxelise' (did you mean 'voxelize'?)"},
      {{"predict", "scatter", "--on", "h20", "--from", "RECORD"}, usage, "(did you mean 'h200'?)"},
      {{"predict", "scatter", "--on", "h100", "--from", "RECORD", "--axes", "items=1,2"},
       usage,
       "names several values"},
      {{"predict", "scatter", "--on", "h100", "--from", "RECORD", "--ceilings", "NOTHING"},
       usage,
       "expected a readable file"},
      {{"predict", "scatter", "--on", "h100", "--model", "TORN"},
       usage,
       "the file ends before its JSON does"},
      {{"dev", "predict-check", "RECORD"}, usage, "expected cases that two chips ran"},
      {{"dev", "predict-check", "--register", "OUT"}, usage, "expected --on CHIP beside it"},
      {{"dev", "predict-check", "--judge", "TORN", "RECORD"}, usage, "the file ends before its JSON does"},
      {{"explain", "RECORD", "no_such_case"}, usage, "no case is or has 'no_such_case'"},
      {{"explain", "RECORD", "items=102"}, usage, "no value of axis 'items' '102'"},
      {{"attribute", "RECORD", "RECORD"}, usage, "expected each record once"},
      {{"attribute", "RECORD", "--to", "mergd"}, usage, "(did you mean 'merged'?)"},
      {{"attribute", "RECORD", "--axes", "itms=3"}, usage, "(did you mean 'items'?)"},

      {{"compare", "RECORD"}, usage, "expected a baseline and a candidate"},
      {{"compare", "RECORD", "RECORD", "--allow", "seeds"}, usage, "(did you mean 'seed'?)"},
      {{"compare", "RECORD", "RECORD", "--json", "UNWRITABLE"}, usage, "cannot be written"},
      {{"gate", "SUITE"}, usage, "--baseline is required"},
      {{"gate", "SUITE", "--baseline", "NOTHING", "--candidate", "SELF"},
       usage,
       "expected a program or a folder of records"},
      {{"gate", "NOTHING", "--baseline", "SELF", "--candidate", "SELF"},
       usage,
       "there is no such file; expected a suite"},
      {{"gate", "SUITE", "--baseline", "EMPTY", "--candidate", "EMPTY"},
       usage,
       "expected records of launches"},
      {{"gate", "SUITE", "--baseline", "SELF", "--candidate", "SELF", "--out", "UNWRITABLE"},
       usage,
       "cannot be written"},
      {{"gate", "SUITE", "--baseline", "SELF", "--candidate", "SELF", "--budget", "-1"},
       usage,
       "--budget: Value -1 not in range"},
      {{"dev", "calibrate", "SELF", "SELF", "SUITE"}, usage, "--out is required"},
      {{"dev", "calibrate", "SELF", "SELF", "SUITE", "--out", "UNWRITABLE", "--launches", "OUT"},
       usage,
       "cannot be written"},

      {{"doctor", "--require", "cupty"}, usage, "no item 'cupty' (did you mean 'cupti'?)"},
      {{"doctor", "--require", "data"}, requirement, "required but not OK: data"},
      {{"static", "chek"}, usage, "no command 'chek' (did you mean 'check'?)"},
      {{"static", "check", "--candidate", "TORN"}, usage, "the file ends before its JSON does"},
      {{"compare", "--across"}, usage, "--across: expected records"},
      {{"compare", "--across", "NOTHING"}, usage, "expected a readable file"},
      {{"compare", "--across", "RECORD", "--markdown", "UNWRITABLE"}, usage, "cannot be written"},
      {{"compare", "--across", "RECORD", "--strict"}, usage, "--strict: expected no --across"},
      {{"compare", "RECORD", "RECORD", "--plots", "OUT"}, usage, "--plots requires --across"},
      {{"dev", "submit", "SUITE", "--out", "OUT"}, usage, "--shards is required"},
      {{"dev", "submit", "SUITE", "--shards", "2"}, usage, "--out is required"},
      {{"dev", "submit", "SUITE", "--shards", "0", "--out", "OUT"}, usage, "--shards: Value 0 not in range"},
      {{"dev", "submit", "SUITE", "--shards", "2", "--out", "UNWRITABLE"},
       usage,
       "expected a writable place"},
      {{"dev", "submit", "NOTHING", "--shards", "2", "--out", "OUT"}, usage, "expected a readable file"},
      {{"dev", "submit", "SUITE", "--shards", "2", "--out", "OUT", "--chip", "h20"}, usage, "no chip 'h20'"},
      {{"dev", "history", "ad"}, usage, "no command 'ad' (did you mean 'add'?)"},
  };
  return all;
}

/// Those that read or write a history, which needs SQLite.
const std::vector<wrong_use>& wrong_uses_of_a_history() {
  static const std::vector<wrong_use> all = {
      {{"dev", "history", "add", "RECORD"}, usage, "--database is required"},
      {{"dev", "history", "trend", "--database", "NOTHING"}, usage, "cannot be opened as a database"},
      {{"dev", "history", "changes", "--database", "RECORD"}, usage, "found no SQLite database"},
      {{"dev", "history", "trend", "no_such_case", "--database", "HISTORY"},
       usage,
       "no case is or has 'no_such_case'"},
  };
  return all;
}

class WrongUses : public ::testing::Test {
 protected:
  WrongUses() {
    std::filesystem::create_directories(at("empty"));
    suite = files
                .write("suite.json", R"({"name": "small", "description": "d",
      "cases": [{"operation": "voxelize", "axes": {"points": 1000, "grid": 16}}]})")
                .string();
    torn = files.write("torn.json", "{\"name\": ").string();
    record =
        files
            .write("record.json",
                   test_support::slurp(test_support::source_path("tests/reports/data/small_record.json")))
            .string();
    test_support::run_ablate({"dev", "history", "add", record, "--database", at("history.db")});
  }

  std::string at(const std::string& name) const { return (files.path() / name).string(); }

  std::string meant(const std::string& word) const {
    if (word == "SUITE") return suite;
    if (word == "RECORD") return record;
    if (word == "TORN") return torn;
    if (word == "NOTHING") return at("nothing.json");
    if (word == "EMPTY") return at("empty");
    if (word == "UNWRITABLE") return suite + "/below";
    if (word == "HISTORY") return at("history.db");
    if (word == "OUT") return at("out");
    if (word == "SELF") return test_support::program_path();
    return word;
  }

  void expect_refused(const wrong_use& use) const {
    std::vector<std::string> words;
    std::string typed = "ablate";
    for (const std::string& word : use.words) {
      typed += " " + word;
      words.push_back(meant(word));
    }
    const program_result result = test_support::run_ablate(words, {"ABLATE_DATA="}, files.path());
    EXPECT_EQ(result.exit_code, use.exit_code) << typed << ": " << result.error;
    EXPECT_THAT(result.error, StartsWith("ablate: ")) << typed;
    EXPECT_THAT(result.error, HasSubstr(use.saying)) << typed;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << typed << ": " << result.error;
    EXPECT_TRUE(result.out.empty() || use.exit_code != usage) << typed << ": " << result.out;
  }

  test_support::temporary_directory files;
  std::string suite, torn, record;
};

TEST_F(WrongUses, AreOneLineWithTheRightExitCodeAndTheNearestName) {
  for (const wrong_use& use : wrong_uses()) expect_refused(use);
}

TEST_F(WrongUses, OfAHistoryAreSuchALineToo) {
  if (const std::string why = history::why_no_sqlite(); !why.empty()) ABLATE_LACKS("sqlite", why);
  for (const wrong_use& use : wrong_uses_of_a_history()) expect_refused(use);
}

TEST_F(WrongUses, AGateWithoutAGpuJudgesNothing) {
  const auto start = std::chrono::steady_clock::now();
  const program_result result =
      test_support::run_ablate({"gate", suite, "--baseline", test_support::program_path(), "--candidate",
                                test_support::program_path(), "--out", at("gate"), "--no-counters",
                                "--policy", test_support::source_path("suites/gates/default.json")},
                               {"CUDA_VISIBLE_DEVICES="}, files.path());
  EXPECT_EQ(result.exit_code, unfit) << result.out << result.error;
  EXPECT_THAT(result.error, HasSubstr("there is no GPU"));
  EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  const program_result floors = test_support::run_ablate(
      {"dev", "calibrate", test_support::program_path(), test_support::program_path(), suite, "--launches",
       at("cal"), "--out", at("floors.json")},
      {"CUDA_VISIBLE_DEVICES="}, files.path());
  EXPECT_EQ(floors.exit_code, unfit) << floors.out << floors.error;
  EXPECT_THAT(floors.error, HasSubstr("there is no GPU"));
  EXPECT_EQ(std::count(floors.error.begin(), floors.error.end(), '\n'), 1) << floors.error;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30))
      << "no host reference was run";
}

}  // namespace
}  // namespace ablate::wrong_uses_test
