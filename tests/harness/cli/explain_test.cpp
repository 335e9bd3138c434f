#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::explain_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::run_ablate;
using test_support::slurp;
using test_support::temporary_directory;
using ::testing::HasSubstr;

const std::string made_record = test_support::source_path("tests/reports/data/small_record.json");

TEST(ExplainCommand, ExplainsItself) {
  const program_result help = run_ablate({"explain", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* said : {"RECORD", "CASE", "--json", "--all-counters", "Exit code 2"})
    EXPECT_THAT(help.out, HasSubstr(said));
}

TEST(ExplainCommand, TellsOneCaseAsTextAndAsJson) {
  const program_result text = run_ablate({"explain", made_record, "direct", "1024", "hot"});
  EXPECT_EQ(text.exit_code, 0) << text.error;
  EXPECT_THAT(text.out, ::testing::StartsWith("scatter/direct/items=1024/layout=rows/@hot\n"));
  EXPECT_THAT(text.out, HasSubstr("--only scatter/direct/items=1024/layout=rows/@hot"));
  const program_result json = run_ablate({"explain", made_record, "direct", "1024", "hot", "--json"});
  ASSERT_EQ(json.exit_code, 0) << json.error;
  EXPECT_EQ(ordered_json::parse(json.out)["variant"], "direct");
}

TEST(ExplainCommand, GivesCountersTheirMeanings) {
  const std::string record = test_support::source_path("results/h200/bucket_attention");
  const program_result made =
      run_ablate({"explain", record, "window_attention/hopper_bounded/tokens=131072/window=4096", "heads=8",
                  "width=32", "--all-counters"});
  ASSERT_EQ(made.exit_code, 0) << made.error;
  for (const char* said : {"× the floor", "550 GFLOP at ", "binds", "waste factor 1.",
                           "tensor pipe active (%)", "Warp instructions", "attend_on_hopper",
                           "out_error_worst", "accepted 0.007812", "q ", " MHz right after the last sample"})
    EXPECT_THAT(made.out, HasSubstr(said));
}

TEST(ExplainCommand, ListsSeveralThatFitAndRefusesNone) {
  const program_result several = run_ablate({"explain", made_record, "scatter/direct"});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_EQ(several.out, "");
  EXPECT_THAT(several.error, HasSubstr("4 cases fit"));
  EXPECT_THAT(several.error, HasSubstr("  scatter/direct/items=2048/layout=rows/@cold-clean\n"));
  const program_result none =
      run_ablate({"explain", made_record, "scatter/dirrect/items=1024/layout=rows/@hot"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.error, HasSubstr("did you mean"));
}

TEST(ExplainCommand, AValueIsEqualAndNeverContained) {
  const std::string record = test_support::source_path("results/h200/bucket_attention");
  for (const auto& [word, said] : std::vector<std::pair<std::string, std::string>>{
           {"tokens=13107", "no value of axis 'tokens' '13107'"},
           {"tokens=1", "no value of axis 'tokens' '1'"},
           {"tokns=131072", "no axis 'tokns' (did you mean 'tokens'?)"},
           {"variant=hopper_bound", "(did you mean 'hopper_bounded'?)"},
           {"hopper_b.*", "no case is or has 'hopper_b.*'"}}) {
    const program_result refused = run_ablate({"explain", record, word});
    EXPECT_EQ(refused.exit_code, 2) << word;
    EXPECT_EQ(refused.out, "") << word;
    EXPECT_THAT(refused.error, HasSubstr(said));
    EXPECT_EQ(std::count(refused.error.begin(), refused.error.end(), '\n'), 1) << refused.error;
  }
}

TEST(ExplainCommand, RefusesBrokenRecordsByName) {
  const temporary_directory files;
  const std::string whole = slurp(made_record);
  const std::string cut = files.write("cut.json", whole.substr(0, whole.size() / 2)).string();
  EXPECT_EQ(run_ablate({"explain", cut, "hot"}).exit_code, 2);
  EXPECT_THAT(run_ablate({"explain", cut, "hot"}).error, HasSubstr("cut.json"));
  ordered_json json = ordered_json::parse(whole);
  json["context"]["ablate"]["record_schema"] = "3.0.0";
  const std::string newer = files.write("newer.json", json.dump()).string();
  EXPECT_THAT(run_ablate({"explain", newer, "hot"}).error, HasSubstr("/context/ablate/record_schema"));
  EXPECT_EQ(run_ablate({"explain", (files.path() / "none.json").string(), "hot"}).exit_code, 2);
  EXPECT_EQ(run_ablate({"explain", made_record}).exit_code, 2);
}

}  // namespace
}  // namespace ablate::explain_test
