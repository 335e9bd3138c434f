// A full disk loses nothing: whatever a command writes, each file is what it was before, or whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::failed_writes_test {
namespace {

namespace fs = std::filesystem;
using test_support::program_path;
using test_support::program_result;
using test_support::run_program;
using test_support::slurp;
using test_support::source_path;
using ::testing::HasSubstr;

constexpr int tool_failure = 75;
const std::string before = "what was there before\n";

using files = std::map<std::string, std::string>;

files files_below(const fs::path& folder) {
  files out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out[fs::relative(entry.path(), folder).string()] = slurp(entry.path());
  return out;
}

/// Words may name a RECORD, another RECORD2, one that HOLDS, FACTS of kernels, a SUITE, a DOCUMENT with its
/// QUOTES, and OUT, which is in a folder of its own.
const std::vector<std::vector<std::string>>& commands_that_write() {
  static const std::vector<std::vector<std::string>> all = {
      {"dev", "verify", "RECORD", "--json", "OUT"},
      {"compare", "--across", "RECORD", "--json", "OUT"},
      {"compare", "--across", "RECORD", "--markdown", "OUT"},
      {"compare", "RECORD", "RECORD2", "--json", "OUT"},
      {"compare", "RECORD", "RECORD2", "--markdown", "OUT"},
      {"static", "check", "--baseline", "FACTS", "--candidate", "FACTS", "--json", "OUT"},
      {"static", "check", "--baseline", "FACTS", "--candidate", "FACTS", "--junit", "OUT"},
      {"static", "check", "--baseline", "FACTS", "--candidate", "FACTS", "--markdown", "OUT"},
      {"dev", "verify", "HOLDS", "--redact", "--out", "OUT"},
      {"claims", "RECORD", "--out", "OUT"},
      {"dev", "submit", "SUITE", "--shards", "2", "--out", "OUT"},
      {"dev", "inputs", "SUITE", "--out", "OUT"},
      {"report", "RECORD", "--out", "OUT"},
      {"dev", "trace", "RECORD", "--out", "OUT"},
  };
  return all;
}

class FailedWrites : public ::testing::Test {
 protected:
  std::vector<std::string> command(const std::vector<std::string>& words) const {
    const std::map<std::string, std::string> meant = {
        {"RECORD", record_},
        {"HOLDS", source_path("results/h200/quick")},
        {"RECORD2", files_.write("record2.json", slurp(record_)).string()},
        {"FACTS", source_path("suites/gates/static_baseline.json")},
        {"SUITE", files_
                      .write("suite.json", R"({"name": "small", "description": "d",
      "cases": [{"operation": "voxelize", "axes": {"points": 1000, "grid": 16}}]})")
                      .string()},
        {"OUT", (out_ / "out").string()}};
    std::vector<std::string> typed = {program_path()};
    for (const std::string& word : words) typed.push_back(meant.contains(word) ? meant.at(word) : word);
    return typed;
  }

  /// No file of the program may grow past so many bytes. What it says goes through a pipe, which has no
  /// limit.
  program_result run_limited(std::size_t bytes, const std::vector<std::string>& typed) const {
    std::vector<std::string> words = {
        "bash", "-c", "prlimit --fsize=$0 \"$@\" 2>&1 >/dev/null | cat; exit ${PIPESTATUS[0]}",
        std::to_string(bytes)};
    words.insert(words.end(), typed.begin(), typed.end());
    return run_program(words, {}, files_.path());
  }

  test_support::temporary_directory files_;
  fs::path out_ = files_.path() / "written";
  std::string record_ = source_path("tests/reports/data/small_record.json");
};

TEST_F(FailedWrites, LoseNothing) {
  for (const std::vector<std::string>& words : commands_that_write()) {
    const std::string name = words[0] + " " + words[words.size() - 2];
    SCOPED_TRACE(name);
    fs::remove_all(out_);
    fs::create_directories(out_);
    const std::vector<std::string> typed = command(words);
    run_program(typed, {}, files_.path());
    const files whole = files_below(out_);
    ASSERT_FALSE(whole.empty());
    std::size_t largest = 0;
    for (const auto& [file, text] : whole) largest = std::max(largest, text.size());
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, largest / 2, largest - 1}) {
      for (const auto& [file, text] : whole) std::ofstream(out_ / file, std::ios::binary) << before;
      const program_result failed = run_limited(limit, typed);
      EXPECT_EQ(failed.exit_code, tool_failure) << "with " << limit << " bytes: " << failed.out;
      EXPECT_THAT(failed.out, HasSubstr("cannot be written")) << "with " << limit << " bytes";
      for (const auto& [file, text] : files_below(out_)) {
        ASSERT_TRUE(whole.contains(file)) << file << " was left behind with " << limit << " bytes";
        EXPECT_TRUE(text == before || text == whole.at(file)) << file;
      }
      if (limit == 0) {
        for (const auto& [file, text] : whole) EXPECT_EQ(slurp(out_ / file), before) << file;
      }
    }
  }
}

TEST_F(FailedWrites, LeaveADocumentAsItWas) {
  const fs::path document = out_ / "README.md";
  fs::create_directories(out_);
  std::string text = slurp(source_path("README.md"));
  std::smatch figure;  // one that a record holds
  ASSERT_TRUE(std::regex_search(text, figure, std::regex("-->([0-9][.][0-9]{2})×")));
  text.replace(static_cast<std::size_t>(figure.position(1)), 4, "9.99");
  const std::string records = "records=results/h200";
  ASSERT_NE(text.find(records), std::string::npos);
  text.replace(text.find(records), records.size(), "records=" + source_path("results/h200"));
  std::ofstream(document, std::ios::binary) << text;
  const std::vector<std::string> typed = {program_path(), "dev", "quote", document.string(), "--write"};
  const program_result failed = run_limited(4096, typed);
  EXPECT_EQ(failed.exit_code, tool_failure) << failed.out;
  EXPECT_EQ(slurp(document), text);
}

/// What a command prints must arrive too.
TEST_F(FailedWrites, OfStandardOutputAreNoSuccess) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"best", "RECORD"},
                                             {"dev", "verify", "RECORD"},
                                             {"compare", "--across", "RECORD"},
                                             {"list"},
                                             {"plan", "SUITE"},
                                             {"compare", "RECORD", "RECORD2"},
                                             {"--help"},
                                             {"--version"}}) {
    std::vector<std::string> shell = {"sh", "-c", "exec \"$0\" \"$@\" >/dev/full"};
    for (const std::string& word : command(words)) shell.push_back(word);
    const program_result failed = run_program(shell, {}, files_.path());
    EXPECT_NE(failed.exit_code, 0) << words[0] << ": " << failed.error;
    EXPECT_EQ(failed.error, "ablate: standard output: cannot be written: No space left on device\n")
        << words[0];
  }
}

}  // namespace
}  // namespace ablate::failed_writes_test
