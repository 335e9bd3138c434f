#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/harness/runner/kill_and_resume.h"
#include "tests/support/capability.h"
#include "tests/support/run_program.h"

namespace ablate::devices_cli_test {
namespace {

namespace fs = std::filesystem;
using test_support::run_ablate;
using ::testing::HasSubstr;

/// `ablate run` with several workers on the host.
class RunOnDevices : public ::testing::Test {
 protected:
  std::vector<std::string> words(const fs::path& out, std::vector<std::string> more) const {
    std::vector<std::string> all = {"run", suite_.string(), "--devices", "host,host", "--out", out.string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  nlohmann::json record(const fs::path& out) const {
    return nlohmann::json::parse(test_support::slurp(out / "record.json"));
  }

  test_support::temporary_directory files_;
  fs::path suite_ = files_.write("small.json", test_support::small_suite());
  fs::path out_ = files_.path() / "out";
};

TEST_F(RunOnDevices, MakesTheRecordOfOneWithWhoMeasuredWhat) {
  ASSERT_EQ(run_ablate(words(out_, {})).exit_code, 0);
  const fs::path one = files_.path() / "one";
  ASSERT_EQ(run_ablate({"run", suite_.string(), "--device", "host", "--out", one.string()}).exit_code, 0);
  EXPECT_EQ(test_support::input_hashes(test_support::measured_cases(out_ / "record.json")),
            test_support::input_hashes(test_support::measured_cases(one / "record.json")));
  std::set<std::string> specimens;
  const nlohmann::json of_two = record(out_), of_one = record(one);
  for (const auto& entry : of_two.at("benchmarks")) specimens.insert(entry.at("specimen").get<std::string>());
  for (const std::string& specimen : specimens) EXPECT_THAT(specimen, HasSubstr("#"));
  EXPECT_EQ(of_two.at("context").at("ablate").at("shard").at("plan"),
            of_one.at("context").at("ablate").at("shard").at("plan"));
  EXPECT_FALSE(of_one.at("benchmarks")[0].contains("neighbors_busy"));
}

TEST_F(RunOnDevices, ItsRecordIsMadeAgainFromItsJournal) {
  ASSERT_EQ(run_ablate(words(out_, {})).exit_code, 0);
  const std::string made = test_support::slurp(out_ / "record.json");
  ASSERT_EQ(run_ablate({"dev", "record", out_.string()}).exit_code, 0);
  EXPECT_EQ(test_support::slurp(out_ / "record.json"), made);
  const auto verified = run_ablate({"dev", "verify", out_.string()});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.error;
}

TEST_F(RunOnDevices, ShardsThatSeveralMeasuredAreMerged) {
  for (const std::string shard : {"1/2", "2/2"})
    ASSERT_EQ(
        run_ablate(words(files_.path() / ("shard-" + shard.substr(0, 1)), {"--shard", shard})).exit_code, 0);
  const auto merged = run_ablate({"dev", "record", (files_.path() / "shard-2").string(),
                                  (files_.path() / "shard-1").string(), "--out", out_.string() + ".json"});
  EXPECT_EQ(merged.exit_code, 0) << merged.error;
  EXPECT_EQ(test_support::measured_cases(out_.string() + ".json").size(), 6u);
}

TEST_F(RunOnDevices, TakesThePlaceOfTheHostWhereThereIsNoGpu) {
  if (!run_ablate({"run", suite_.string(), "--devices", "0", "--out", out_.string()})
           .error.starts_with("ablate: --devices: there is no GPU ("))
    ABLATE_LACKS("no_gpu", "there is a GPU");
  const auto all = run_ablate({"run", suite_.string(), "--devices", "all", "--out", out_.string()});
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.error, HasSubstr("No GPU: "));
}

TEST_F(RunOnDevices, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(run_ablate(words(out_, {"--device", "host"})).exit_code, 2);
  EXPECT_EQ(run_ablate({"run", suite_.string(), "--device", "host", "--replicas", "2"}).exit_code, 2);
  const auto many = run_ablate(words(out_, {"--replicas", "3"}));
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_THAT(many.error, HasSubstr("--replicas: expected at most 2, the number of devices, found 3"));
}

TEST_F(RunOnDevices, APlanShowsTheirTime) {
  const auto planned = run_ablate({"plan", suite_.string(), "--devices", "2"});
  EXPECT_EQ(planned.exit_code, 0);
  EXPECT_THAT(planned.out, HasSubstr("on 2 GPUs each: slowest "));
}

}  // namespace
}  // namespace ablate::devices_cli_test
