#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/record/record_file.h"
#include "tests/harness/runner/kill_and_resume.h"
#include "tests/support/paths.h"

namespace ablate::record_command_test {
namespace {

using test_support::program_result;
using test_support::run_ablate;
using test_support::slurp;
using ::testing::HasSubstr;

const std::string committed = test_support::source_path("tests/reports/data/small_record.json");

class RecordCommand : public ::testing::Test {
 protected:
  /// A run of two cases on the host; one calibration represents all.
  program_result run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"run",   suite_.string(), "--device",   "host",
                                      "--out", out_.string(),   "--ceilings", "launch"};
    words.insert(words.end(), more.begin(), more.end());
    return run_ablate(words, {"ABLATE_DATA="});
  }

  test_support::temporary_directory files_;
  std::filesystem::path suite_ = files_.write(
      "small.json", R"({"name": "small", "description": "d", "sampling": {"maximum_seconds": 0.05},
    "cases": [{"operation": "voxelize", "axes": {"points": [1000, 2000], "grid": 16}}]})");
  std::filesystem::path out_ = files_.path() / "out";
};

TEST_F(RecordCommand, MakesTheRecordOfAJournal) {
  ASSERT_EQ(run().exit_code, 0);
  const std::string whole = slurp(out_ / "record.json");
  std::filesystem::remove(out_ / "record.json");
  const program_result result = run_ablate({"dev", "record", out_.string()});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out, "2 of 2 cases measured: " + (out_ / "record.json").string() + "\n");
  EXPECT_EQ(slurp(out_ / "record.json"), whole);
  EXPECT_EQ(run_ablate(
                {"dev", "record", (out_ / "journal.jsonl").string(), "--out", (files_.path() / "b").string()})
                .exit_code,
            0);
  EXPECT_EQ(slurp(files_.path() / "b"), whole);
  std::filesystem::create_directory(files_.path() / "folder");
  const program_result inside =
      run_ablate({"dev", "record", out_.string(), "--out", (files_.path() / "folder").string()});
  EXPECT_EQ(inside.exit_code, 0) << inside.error;
  EXPECT_EQ(slurp(files_.path() / "folder" / "record.json"), whole);
}

TEST_F(RecordCommand, OfAFinishedRunIsNotReplacedUnasked) {
  ASSERT_EQ(run().exit_code, 0);
  const std::string whole = slurp(out_ / "record.json");
  const program_result again = run();
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_EQ(again.error,
            "ablate: " + (out_ / "record.json").string() +
                ": is of a finished run; expected another --out, --resume to keep what it measured, or "
                "--overwrite to measure all of it again\n");
  EXPECT_EQ(slurp(out_ / "record.json"), whole);
  EXPECT_EQ(run({"--resume"}).exit_code, 0);
  EXPECT_EQ(run({"--overwrite"}).exit_code, 0);
  EXPECT_NE(slurp(out_ / "record.json"), whole);
  EXPECT_EQ(run({"--overwrite", "--resume"}).exit_code, 2);
}

TEST_F(RecordCommand, OfAKilledRunHasWhatWasMeasured) {
  // Each takes longer than whoever waits for the second needs to look again.
  const auto suite = files_.write("dozen.json", test_support::small_suite({200000, 300000, 400000}));
  ASSERT_NO_FATAL_FAILURE(test_support::kill_after(
      2, std::chrono::seconds(0),
      {"run", suite.string(), "--device", "host", "--out", out_.string(), "--ceilings", "launch"}, out_));
  ASSERT_FALSE(std::filesystem::exists(out_ / "record.json"));
  const program_result made = run_ablate({"dev", "record", out_.string()});
  ASSERT_EQ(made.exit_code, 0) << made.error;
  const auto measured = test_support::measured_cases(out_ / "record.json");
  EXPECT_GE(measured.size(), 2u);
  const auto whole = nlohmann::json::parse(slurp(out_ / "record.json"));
  EXPECT_EQ(measured.size() + whole.at("unmeasured").size(), 6u);
  ASSERT_LT(measured.size(), 6u) << "the run was killed too late";
  EXPECT_EQ(whole.at("unmeasured").back().at("status"), "interrupted");
}

TEST_F(RecordCommand, UpgradesAnOlderRecordAndAgainTheSame) {
  auto older = nlohmann::ordered_json::parse(slurp(committed));
  older["context"]["ablate"]["record_schema"] = "1.3.0";
  const auto copy = files_.write("record.json", older.dump());
  const auto seen = reports::parse_record_as_written(copy);
  const program_result upgraded = run_ablate({"dev", "record", copy.string()});
  EXPECT_EQ(upgraded.exit_code, 0) << upgraded.error;
  EXPECT_EQ(upgraded.out, copy.string() + ": version 2.2.0\n");
  const std::string present = slurp(copy);
  EXPECT_THAT(present, HasSubstr("\"upgraded_from\": \"1.3.0\""));
  EXPECT_EQ(reports::parse_record_as_written(copy), seen);
  ASSERT_EQ(run_ablate({"dev", "record", copy.string()}).exit_code, 0);
  EXPECT_EQ(slurp(copy), present) << "it has that form";
}

TEST_F(RecordCommand, WritesPlainJsonOfACompressedRecordAsideAlone) {
  const std::string quick = test_support::source_path("results/h200/quick");
  const program_result inside = run_ablate({"dev", "record", quick});
  EXPECT_EQ(inside.exit_code, 2);
  EXPECT_EQ(inside.error,
            "ablate: --out: expected a file for the plain JSON of " + quick + "/record.json.xz\n");
  const auto out = files_.path() / "plain.json";
  EXPECT_EQ(run_ablate({"dev", "record", quick, "--out", out.string()}).exit_code, 0);
  EXPECT_EQ(reports::parse_record_as_written(out),
            reports::parse_record_as_written(std::filesystem::path(quick) / "record.json"));
}

TEST_F(RecordCommand, RefusesWhatIsNeitherInOneLine) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& why) {
    const program_result result = run_ablate(words);
    EXPECT_EQ(result.exit_code, 2) << result.error;
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
    EXPECT_THAT(result.error, HasSubstr(why));
  };
  refused({"dev", "record"}, "sources is required");
  refused({"dev", "record", (files_.path() / "no.jsonl").string()}, "no.jsonl: expected a run's journal");
  refused({"dev", "record", (files_.path() / "no.json").string()}, "no.json: expected a readable file");
  refused({"dev", "record", files_.write("empty.jsonl", "").string()}, "got as far as its device");
  refused({"dev", "record", files_.write("other.jsonl", "{\"benchmarks\": []}\n").string()},
          "line 1: expected a line of a run's journal");
  refused({"dev", "record", files_.write("other.json", "{}").string()}, "other.json");
  refused({"dev", "record", committed, files_.write("run.jsonl", "").string(), "--out", "x"},
          "run.jsonl: expected a record to merge, found a journal");
}

TEST_F(RecordCommand, AnUnfinishedRunIsRefusedWithoutResume) {
  ASSERT_EQ(run().exit_code, 0);
  const auto path = out_ / "journal.jsonl";
  const std::string text = slurp(path);
  const std::string cut = text.substr(0, text.rfind("\n{\"key\"") + 1);
  files_.write("out/journal.jsonl", cut);
  const program_result refused = run();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("contains an unfinished run (1 of 2 cases); expected --resume"));
  EXPECT_EQ(slurp(path), cut);
  EXPECT_EQ(run({"--resume"}).exit_code, 0);
  EXPECT_EQ(run().exit_code, 2) << "a finished one is not replaced in silence";
  EXPECT_EQ(run({"--overwrite"}).exit_code, 0);
}

TEST_F(RecordCommand, WordsThatAreNoUtf8AreNoTrouble) {
  const auto data = files_.path() / "caf\xe9";
  std::filesystem::create_directories(data);
  files_.write("small.json", R"({"name": "small", "description": "d", "sampling": {"maximum_seconds": 0.02},
    "point_files": {"scan": {"path": "data:scan.bin"}},
    "cases": [{"operation": "voxelize", "axes": {"points": [1000, 2000], "grid": 16, "frame": "vehicle",
                                                 "distribution": ["uniform", "scan"]}}]})");
  const program_result result = run({"--data", data.string()});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const auto record = nlohmann::json::parse(slurp(out_ / "record.json"));
  EXPECT_EQ(record["benchmarks"].size(), 2u);
  EXPECT_EQ(record["unmeasured"][0]["status"], "input_missing");
  EXPECT_THAT(record["unmeasured"][0]["reason"].get<std::string>(), HasSubstr("caf\xef\xbf\xbd"));
  EXPECT_THAT(record["context"]["ablate"]["command"].get<std::string>(), HasSubstr("caf\\351"));
}

}  // namespace
}  // namespace ablate::record_command_test
