#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::claims_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::run_ablate;
using test_support::slurp;
using test_support::temporary_directory;
using ::testing::HasSubstr;

const std::string made_record = test_support::source_path("tests/reports/data/small_record.json");

ordered_json claims_of(const std::string& of, const std::string& over = R"({"variants": "direct"})") {
  return ordered_json::parse(
      R"({"name": "n", "description": "d", "claims": [{"id": "c", "registered": "2026-01-01", "source": {"document": "d", "section": "s"},
    "statement": "t", "expectation": {"at_most": 0.001},
    "quantity": {"value": "time_us.median", "of": )" +
      of + R"(, "over": )" + over + "}}]}");
}

TEST(ClaimsCommand, ExplainsItself) {
  const program_result help = run_ablate({"claims", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* said : {"RECORD", "--claims", "--out", "--json", "the exit code is 0"})
    EXPECT_THAT(help.out, HasSubstr(said));
}

TEST(ClaimsCommand, ARefutedClaimIsAResult) {
  const temporary_directory files;
  const auto claims =
      files.write("claims.json", claims_of(R"({"operation": "scatter", "variants": "merged"})").dump());
  const auto out = files.path() / "ledger";
  const program_result result =
      run_ablate({"claims", made_record, "--claims", claims.string(), "--out", out.string()});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("1 refuted"));
  EXPECT_THAT(slurp(out / "claims.md"), HasSubstr("| [c](claims/n.md#c) | t | - | refuted, one launch |"));
  EXPECT_THAT(slurp(out / "claims" / "n.md"), HasSubstr("**refuted, one launch** by suite"));
  const auto json = ordered_json::parse(slurp(out / "claims.json"));
  EXPECT_EQ(json["devices"][0]["claims"][0]["verdict"], "refuted");
  const program_result printed = run_ablate({"claims", made_record, "--claims", claims.string(), "--json"});
  EXPECT_EQ(printed.out, slurp(out / "claims.json"));
}

TEST(ClaimsCommand, AClaimWithoutTheDayOfItsRegistrationIsRefused) {
  ordered_json claims = claims_of(R"({"operation": "scatter", "variants": "merged"})");
  claims["claims"][0].erase("registered");
  const temporary_directory files;
  const auto path = files.write("claims.json", claims.dump());
  const program_result result = run_ablate({"claims", made_record, "--claims", path.string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error, HasSubstr("add \"registered\": \"YYYY-MM-DD\""));
  EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
}

TEST(ClaimsCommand, RecordsBesideARecordAreItsFurtherLaunches) {
  const temporary_directory files;
  const auto claims =
      files.write("claims.json", claims_of(R"({"operation": "scatter", "variants": "merged"})").dump());
  std::filesystem::create_directories(files.path() / "run");
  for (const char* name : {"record.json", "record-02.json", "record-03.json"})
    std::filesystem::copy_file(made_record, files.path() / "run" / name);
  const auto launches_of = [&](const std::filesystem::path& given) {
    const program_result result =
        run_ablate({"claims", given.string(), "--claims", claims.string(), "--json"}, {}, files.path());
    EXPECT_EQ(result.exit_code, 0) << result.error;
    const ordered_json device = ordered_json::parse(result.out)["devices"][0];
    EXPECT_EQ(device["records"][0]["launches"], device["claims"][0]["launches"]);
    return device["claims"][0]["launches"];
  };
  EXPECT_EQ(launches_of(files.path() / "run"), 3);
  EXPECT_EQ(launches_of(files.path()), 3) << "a folder of such folders";
  EXPECT_EQ(launches_of(files.path() / "run" / "record.json"), 1) << "a file stands for itself";
}

TEST(ClaimsCommand, CommittedClaimsNameWhatThisProgramHas) {
  const program_result result = run_ablate({"claims", made_record, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const auto json = ordered_json::parse(result.out);
  const ordered_json& claims = json["devices"][0]["claims"];
  EXPECT_GE(claims.size(), 400u);
  EXPECT_EQ(json["devices"][0]["counts"]["not measured"], claims.size())
      << "the record is not of any claim's operation";
}

void expect_refused(const ordered_json& claims, const std::string& saying) {
  const temporary_directory files;
  const auto path = files.write("claims.json", claims.dump());
  const program_result result = run_ablate({"claims", made_record, "--claims", path.string()});
  EXPECT_EQ(result.exit_code, 2) << result.error;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.error, HasSubstr("ablate: " + path.string() + ": " + saying));
  EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
}

TEST(ClaimsCommand, NamesThatNobodyKnowsAreRefused) {
  expect_refused(claims_of(R"({"operation": "voxelise"})"),
                 "/claims/0/quantity/of/operation: no operation 'voxelise' (did you mean 'voxelize'?)");
  expect_refused(claims_of(R"({"operation": "voxelize"})", R"({"variants": "globl_atomic"})"),
                 "/claims/0/quantity/over/variants: no variant of 'voxelize' 'globl_atomic' (did you mean "
                 "'global_atomic'?)");
  expect_refused(claims_of(R"({"operation": "voxelize", "axes": {"oder": "natural"}})"),
                 "/claims/0/quantity/of/axes/oder: no axis of 'voxelize' 'oder' (did you mean 'order'?)");
  expect_refused(claims_of(R"({"operation": "voxelize", "axes": {"order": "mortn"}})"),
                 "/claims/0/quantity/of/axes/order: 'mortn' is no value");
  expect_refused(claims_of(R"({"operation": "voxelize", "axes": {"distribution": "unifrm"}})"),
                 "/claims/0/quantity/of/axes/distribution: 'unifrm' is no value");
  expect_refused(claims_of(R"({"operation": "voxelize", "switches": {"smem": "onn"}})"),
                 "/claims/0/quantity/of/switches/smem: no value of switch 'smem' 'onn'");
  expect_refused(
      claims_of(R"({"operation": "voxelize", "switches": {"smen": "on"}})"),
      "/claims/0/quantity/of/switches/smen: no switch of 'voxelize' 'smen' (did you mean 'smem'?)");
  expect_refused(claims_of(R"({"operation": "voxelize", "cache": "cold"})"),
                 "/claims/0/quantity/of/cache: no cache state 'cold'");
  expect_refused(claims_of(R"({"operaton": "voxelize"})"),
                 "/claims/0/quantity/of/operaton: no key 'operaton' (did you mean 'operation'?)");
}

TEST(ClaimsCommand, PointFilesMayHaveAnyName) {
  const temporary_directory files;
  const auto path =
      files.write("claims.json", claims_of(R"({"operation": "voxelize", "axes": {"distribution": "kitti"}})",
                                           R"({"variants": "global_atomic"})")
                                     .dump());
  EXPECT_EQ(run_ablate({"claims", made_record, "--claims", path.string()}).exit_code, 0);
}

TEST(ClaimsCommand, TwoFilesMayNotShareAnId) {
  const temporary_directory files;
  const std::string claims = claims_of(R"({"operation": "scatter"})").dump();
  const auto a = files.write("a.json", claims), b = files.write("b.json", claims);
  const program_result result = run_ablate({"claims", made_record, "--claims", a.string(), b.string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error,
              HasSubstr("b.json: /claims/0/id: expected an id of its own, found 'c' of " + a.string()));
}

TEST(ClaimsCommand, AClaimThatWaitsMayNameWhatDoesNotExistYet) {
  const temporary_directory files;
  ordered_json claims = claims_of(R"({"operation": "voxelize", "variants": "by_magic"})");
  claims["claims"][0]["waits_for"] = {{"operation", "voxelize"}, {"lacks", "magic"}};
  const auto path = files.write("claims.json", claims.dump());
  const program_result result = run_ablate({"claims", made_record, "--claims", path.string()});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("1 claims are not measured here; --all lists them"));
  EXPECT_THAT(run_ablate({"claims", made_record, "--claims", path.string(), "--all"}).out,
              HasSubstr("waits for magic of operation voxelize"));
}

TEST(ClaimsCommand, AFolderStandsForTheRecordsInItsFolders) {
  const temporary_directory files;
  for (const char* suite : {"a", "b"}) {
    std::filesystem::create_directories(files.path() / "gpu" / suite);
    std::filesystem::copy_file(made_record, files.path() / "gpu" / suite / "record.json");
  }
  files.write("gpu/notes.md", std::string("no folder"));
  const program_result result = run_ablate({"claims", "gpu", "--json"}, {}, files.path());
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const ordered_json records = ordered_json::parse(result.out)["devices"][0]["records"];
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["record"], "gpu/a/record.json");
  EXPECT_EQ(records[1]["record"], "gpu/b/record.json");

  std::filesystem::create_directories(files.path() / "empty");
  const program_result refused = run_ablate({"claims", "empty"}, {}, files.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.error, HasSubstr("empty: expected a record.json in it, or in directories below it"));
}

/// The first line in which two texts differ, with its number.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream as(a), bs(b);
  std::string x, y;
  for (std::size_t line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(as, x));
    if (more != static_cast<bool>(std::getline(bs, y)) || (more && x != y))
      return "line " + std::to_string(line) + ":\n  committed: " + x + "\n  made now:  " + y;
    if (!more) return "";
  }
}

/// The Markdown files of a ledger, from the folder that holds it.
std::vector<std::filesystem::path> ledger_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> out = {"claims.md"};
  for (const auto& page : std::filesystem::directory_iterator(folder / "claims"))
    out.push_back("claims" / page.path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

/// `claims` with the noise floors beside the records of these chips.
std::vector<std::string> claims_command(std::vector<std::string> folders) {
  std::vector<std::string> floors;
  for (const std::string& folder : folders)
    if (const auto file = folder + "/gate/floors.json";
        std::filesystem::exists(test_support::source_path() / std::filesystem::path(file)))
      floors.insert(floors.end(), {"--floors", file});
  std::vector<std::string> out = {"claims"};
  out.insert(out.end(), folders.begin(), folders.end());
  out.insert(out.end(), floors.begin(), floors.end());
  return out;
}

TEST(CommittedLedger, OfAllChipsIsWhatTheProgramMakesOfTheCommittedRecords) {
  const std::filesystem::path root = test_support::source_path();
  std::vector<std::string> chips;
  for (const auto& chip : std::filesystem::directory_iterator(root / "results"))
    if (chip.is_directory()) chips.push_back("results/" + chip.path().filename().string());
  std::sort(chips.begin(), chips.end());
  // Links lead to ledgers beside the file.
  const temporary_directory out;
  for (const std::string& chip : chips) {
    std::filesystem::create_directories(out.path() / std::filesystem::path(chip).filename());
    std::filesystem::create_directory_symlink(root / chip / "claims",
                                              out.path() / std::filesystem::path(chip).filename() / "claims");
  }
  std::vector<std::string> command = claims_command(chips);
  command.insert(command.end(), {"--by-chip", (out.path() / "claims.md").string()});
  const program_result result = run_ablate(command, {}, root);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(first_difference(slurp(root / "results" / "claims.md"), slurp(out.path() / "claims.md")), "")
      << "results/claims.md is not of these records and claims; scripts/report_results.sh --claims makes it anew";
}

TEST(CommittedLedger, IsWhatTheProgramMakesOfTheCommittedRecords) {
  const std::filesystem::path root = test_support::source_path();
  for (const auto& chip : std::filesystem::directory_iterator(root / "results")) {
    if (!chip.is_directory()) continue;
    const std::string folder = "results/" + chip.path().filename().string();
    const std::string remedy = "; scripts/report_results.sh --claims makes the ledger anew";
    const temporary_directory out;
    std::vector<std::string> command = claims_command({folder});
    command.insert(command.end(), {"--out", out.path().string()});
    const program_result result = run_ablate(command, {}, root);
    ASSERT_EQ(result.exit_code, 0) << result.error;
    const std::vector<std::filesystem::path> files = ledger_files(out.path());
    ASSERT_EQ(ledger_files(chip.path()), files) << folder << remedy;
    for (const auto& file : files)
      EXPECT_EQ(first_difference(slurp(chip.path() / file), slurp(out.path() / file)), "")
          << folder << "/" << file.string() << " is not of these records and claims" << remedy;
  }
}

TEST(ClaimsCommand, ARecordThatIsNoneIsRefused) {
  const temporary_directory files;
  const auto path = files.write("record.json", std::string("{}"));
  const program_result result = run_ablate({"claims", files.path().string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error, HasSubstr(path.string()));
}

}  // namespace
}  // namespace ablate::claims_test
