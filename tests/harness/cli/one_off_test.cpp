#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/run_program.h"

namespace ablate::one_off_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::run_ablate;
using test_support::slurp;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OneOff : public ::testing::Test {
 protected:
  program_result ablate(const std::vector<std::string>& words) const {
    return run_ablate(words, {"ABLATE_DATA="}, files_.path());
  }
  ordered_json record_of(const std::string& folder) const {
    return ordered_json::parse(slurp(files_.path() / folder / "record.json"));
  }

  test_support::temporary_directory files_;
};

TEST_F(OneOff, AnOperationRunsWithoutAFileAndItsRecordSaysHowToRepeatACase) {
  const program_result ran = ablate(
      {"run", "voxelize", "--axes", "points=2^9..2^10", "grid=16", "--device", "host", "--ceilings", "none"});
  ASSERT_EQ(ran.exit_code, 0) << ran.error;
  const ordered_json record = record_of("out/adhoc_voxelize");
  EXPECT_EQ(record["context"]["ablate"]["suite"]["name"], "adhoc_voxelize");
  EXPECT_FALSE(record["context"]["ablate"]["suite"].contains("overrides"));
  ASSERT_EQ(record["benchmarks"].size(), 2u);
  EXPECT_EQ(record["benchmarks"][0]["axes"]["points"], "512");
  EXPECT_EQ(record["benchmarks"][1]["axes"]["points"], "1024");

  const program_result told = ablate({"explain", "out/adhoc_voxelize", "points=512", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.error;
  EXPECT_THAT(told.out, HasSubstr("ablate run voxelize --only "));
  const std::string id = record["benchmarks"][0]["name"];
  std::vector<std::string> again = {"run", "voxelize", "--only", id, "--axes"};
  for (const auto& [name, value] : record["benchmarks"][0]["axes"].items())
    again.push_back(name + "=" + value.get<std::string>());
  again.insert(again.end(), {"--device", "host", "--out", "out/one_case"});
  const program_result repeated = ablate(again);
  ASSERT_EQ(repeated.exit_code, 0) << repeated.error;
  EXPECT_EQ(record_of("out/one_case")["benchmarks"][0]["name"], id);
}

TEST_F(OneOff, TakesAsManyLaunchesAsTheCommandLineSays) {
  const std::vector<std::string> words = {"run",     "voxelize", "--axes",     "points=512",
                                          "grid=16", "--device", "host",       "--ceilings",
                                          "none",    "--out",    "out/thrice", "--launches"};
  const auto launched = [&](std::vector<std::string> last) {
    last.insert(last.begin(), words.begin(), words.end());
    return ablate(last).exit_code;
  };
  ASSERT_EQ(launched({"3"}), 0);
  for (const char* name : {"record.json", "record-02.json", "record-03.json"})
    EXPECT_TRUE(std::filesystem::exists(files_.path() / "out/thrice" / name)) << name;
  EXPECT_FALSE(std::filesystem::exists(files_.path() / "out/thrice/record-04.json"));
  EXPECT_EQ(launched({"0"}), 2);
  EXPECT_EQ(launched({"3", "--shard", "1/2"}), 2) << "a shard is launched once";
}

TEST_F(OneOff, TheSuiteOfARunCanBeKeptAndIsTheSame) {
  const std::vector<std::string> chosen = {"voxelize",   "--axes",     "points=2^9..2^10",    "grid=16",
                                           "cache=hot",  "--variants", "baseline,warp_match", "--switch",
                                           "threads=128"};
  const auto planned = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "plan");
    words.push_back("--json");
    const program_result said = ablate(words);
    EXPECT_EQ(said.exit_code, 0) << said.error;
    return ordered_json::parse(said.out);
  };
  std::vector<std::string> written = chosen;
  written.insert(written.end(), {"--write-suite", "kept.json"});
  const ordered_json one_off = planned(written);
  const ordered_json kept = ordered_json::parse(slurp(files_.path() / "kept.json"));
  EXPECT_EQ(kept["name"], "adhoc_voxelize");
  ASSERT_EQ(kept["cases"].size(), 1u);
  EXPECT_EQ(kept["cases"][0]["axes"].dump(), R"({"points":[512,1024],"grid":[16]})");
  EXPECT_EQ(kept["cases"][0]["cache"].dump(), R"(["hot"])");
  EXPECT_FALSE(kept["cases"][0]["variants"].empty());
  for (const auto& variant : kept["cases"][0]["variants"])
    EXPECT_THAT(variant.get<std::string>(), HasSubstr("threads=128")) << "points around the variants";
  const ordered_json of_file = planned({"kept.json"});
  EXPECT_EQ(of_file["suite"]["hash"], one_off["suite"]["hash"]);
  EXPECT_EQ(of_file["list"], one_off["list"]);
}

TEST_F(OneOff, WithoutOptionsAllVariantsRunAtTheDefaults) {
  ASSERT_EQ(ablate({"plan", "voxelize", "--write-suite", "all.json"}).exit_code, 0);
  const ordered_json cases = ordered_json::parse(slurp(files_.path() / "all.json"))["cases"];
  EXPECT_EQ(cases.dump(), R"([{"operation":"voxelize"}])");
}

}  // namespace
}  // namespace ablate::one_off_test
