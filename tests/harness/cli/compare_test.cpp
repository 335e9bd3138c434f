#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::compare_test {
namespace {

using nlohmann::ordered_json;
using test_support::program_result;
using test_support::run_ablate;
using test_support::slurp;
using test_support::temporary_directory;
using ::testing::HasSubstr;

const std::string made_record = test_support::source_path("tests/reports/data/small_record.json");

ordered_json right_record() {
  ordered_json json = ordered_json::parse(slurp(made_record));
  json["unmeasured"] = ordered_json::array();
  return json;
}

TEST(CompareCommand, ExplainsItself) {
  const program_result help = run_ablate({"compare", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* said : {"RECORD", "--baseline", "--candidate", "--policy", "--allow", "--json",
                           "--markdown", "--all", "--strict", "Exit codes", "cache-state"})
    EXPECT_THAT(help.out, HasSubstr(said));
}

/// The record from another GPU, on which one case takes so many times as long.
ordered_json record_on(const std::string& uuid, double times) {
  ordered_json json = right_record();
  json["context"]["ablate"]["device"]["uuid"] = uuid;
  ordered_json& time = json["benchmarks"][5]["time_us"];
  for (const char* key : {"median", "min", "ci95_low", "ci95_high"})
    time[key] = times * time[key].get<double>();
  for (ordered_json& sample : time["samples"]) sample = times * sample.get<double>();
  return json;
}

TEST(CompareCommand, TwoKindsOfGpuAreNoGate) {
  const temporary_directory files;
  ordered_json other = record_on("GPU-b", 3);
  other["context"]["ablate"]["device"]["name"] = "Other GPU";
  other["benchmarks"][5]["device_state"] = {{"after", {{"memory_clock_mhz", 1}}}};
  const std::string a = files.write("a.json", right_record().dump()).string();
  const std::string b = files.write("b.json", other.dump()).string();
  const std::string json = (files.path() / "out.json").string(),
                    markdown = (files.path() / "out.md").string();
  const program_result made = run_ablate({"compare", a, b, "--json", json, "--markdown", markdown});
  EXPECT_EQ(made.exit_code, 0) << made.error;
  EXPECT_EQ(made.error, "");
  EXPECT_THAT(made.out, HasSubstr("nothing is judged, and the exit code is 0"));
  EXPECT_THAT(made.out, HasSubstr("The Other GPU is faster in 0 of"));
  EXPECT_EQ(ordered_json::parse(slurp(json))["two_devices_schema"], "1.0.0");
  EXPECT_THAT(slurp(markdown), HasSubstr("## By operation"));
  EXPECT_EQ(run_ablate({"compare", a, b, "--allow", "device"}).out, made.out) << "what was needed before";
  for (const std::vector<std::string>& asks : {std::vector<std::string>{"--strict"},
                                               {"--floors", a},
                                               {"--policy", a},
                                               {"--specimen-floors", a, "--allow", "specimen"}}) {
    std::vector<std::string> words = {"compare", a, b};
    words.insert(words.end(), asks.begin(), asks.end());
    const program_result refused = run_ablate(words);
    EXPECT_EQ(refused.exit_code, 2) << asks[0];
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(std::count(refused.error.begin(), refused.error.end(), '\n'), 1) << refused.error;
  }
  EXPECT_THAT(
      run_ablate({"compare", a, b, "--strict"}).error,
      HasSubstr("--strict: expected two records of one kind of GPU, found Imaginary GPU and Other GPU"));
}

TEST(CompareCommand, TakesWhatEqualGpusDifferByForNoChange) {
  const temporary_directory files;
  const std::string a = files.write("a.json", record_on("GPU-a", 1).dump()).string();
  const std::string b = files.write("b.json", record_on("GPU-b", 1.5).dump()).string();
  const std::string across = (files.path() / "across.json").string();
  const program_result made = run_ablate(
      {"dev", "calibrate", "--across", a, b, "--out", across, "--plots", (files.path() / "plots").string()});
  ASSERT_EQ(made.exit_code, 0) << made.out << made.error;
  EXPECT_THAT(made.out, HasSubstr("kind A: 2 specimens, "));
  const std::string name = right_record()["benchmarks"][5]["name"];
  ordered_json floors = ordered_json::parse(slurp(across));
  EXPECT_NEAR(floors["kinds"][0]["cases"][name]["specimen_floor_pct"].get<double>(), 50, 1e-6);
  EXPECT_TRUE(std::filesystem::exists(files.path() / "plots"));

  ordered_json policy = ordered_json::parse(slurp(test_support::source_path("suites/gates/default.json")));
  policy["compare"]["interval_confidence"] = 0.5;
  const std::string coarse = files.write("policy.json", policy.dump()).string();
  const std::vector<std::string> command = {"compare", a,         b,          "--policy",
                                            coarse,    "--allow", "specimen", "--all"};
  const auto with = [&](const std::string& file) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--specimen-floors", file});
    return run_ablate(words);
  };
  // More than what single launches may differ by, so that it would be SLOWER.
  const program_result slower = run_ablate(command), raised = with(across);
  EXPECT_EQ(slower.exit_code, 1) << slower.out << slower.error;
  EXPECT_EQ(raised.exit_code, 0) << raised.out << raised.error;

  // Two kinds, and a GPU that the file does not know.
  floors["kinds"].push_back(floors["kinds"][0]);
  floors["kinds"][0]["specimens"] = {"GPU-a"};
  floors["kinds"][1]["specimens"] = {"GPU-b"};
  floors["kinds"][1]["kind"] = "B";
  const program_result kinds = with(files.write("kinds.json", floors.dump()).string());
  EXPECT_EQ(kinds.exit_code, 2);
  EXPECT_THAT(kinds.error, HasSubstr("expected a GPU of kind A like the baseline's, found one of kind B"));
  floors["kinds"][1]["specimens"] = {"GPU-c"};
  EXPECT_EQ(with(files.write("unknown.json", floors.dump()).string()).exit_code, 2);
  EXPECT_EQ(run_ablate({"compare", a, b, "--specimen-floors", across}).exit_code, 2)
      << "without --allow specimen";
}

TEST(CompareCommand, TellsPassRegressionAndWrongResultApart) {
  const temporary_directory files;
  const std::string a = files.write("a.json", right_record().dump()).string();
  ordered_json slow = right_record();
  ordered_json& time = slow["benchmarks"][5]["time_us"];
  for (const char* key : {"median", "min", "ci95_low", "ci95_high"}) time[key] = 2 * time[key].get<double>();
  for (ordered_json& sample : time["samples"]) sample = 2 * sample.get<double>();
  const std::string b = files.write("b.json", slow.dump()).string();

  const program_result same = run_ablate({"compare", a, a});
  EXPECT_EQ(same.exit_code, 0) << same.out << same.error;
  EXPECT_THAT(same.out, HasSubstr("8 cases: 0 SLOWER, 0 FASTER, 8 SAME"));
  EXPECT_EQ(run_ablate({"compare", a, made_record}).exit_code, 3);

  // Three samples a side bound nothing at 95 %: with a lower confidence they do.
  ordered_json policy = ordered_json::parse(slurp(test_support::source_path("suites/gates/default.json")));
  policy["compare"]["interval_confidence"] = 0.5;
  const std::string coarse = files.write("policy.json", policy.dump()).string();
  const std::string json = (files.path() / "out.json").string(), text = (files.path() / "out.md").string();
  const program_result slower =
      run_ablate({"compare", a, b, "--policy", coarse, "--json", json, "--markdown", text});
  EXPECT_EQ(slower.exit_code, 1) << slower.out << slower.error;
  EXPECT_THAT(slower.out, HasSubstr("SLOWER"));
  EXPECT_EQ(ordered_json::parse(slurp(json))["exit_code"], 1);
  EXPECT_THAT(slurp(text), HasSubstr("# Comparison"));
  EXPECT_EQ(run_ablate({"compare", a, b}).exit_code, 4) << "it looks slower, and one launch cannot tell";
  EXPECT_EQ(run_ablate({"compare", a, b, "--strict"}).exit_code, 4);
}

TEST(CompareCommand, SeveralRecordsASideAreNamedByOption) {
  const temporary_directory files;
  const std::string a = files.write("a.json", right_record().dump()).string();
  const program_result result = run_ablate({"compare", "--baseline", a, a, "--candidate", a, a});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.out, HasSubstr("2 and 2 launches"));
}

TEST(CompareCommand, WrongUseIsOneLineAndExitTwo) {
  const temporary_directory files;
  const std::string a = files.write("a.json", right_record().dump()).string();
  ordered_json other = right_record();
  other["context"]["ablate"]["seed"] = 9;
  const std::string b = files.write("b.json", other.dump()).string();
  const auto refused = [](const std::vector<std::string>& words, const std::string& said) {
    const program_result result = run_ablate(words);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.error, HasSubstr(said));
    EXPECT_EQ(std::count(result.error.begin(), result.error.end(), '\n'), 1) << result.error;
  };
  refused({"compare", a}, "expected a baseline and a candidate");
  refused({"compare", a, a, a}, "expected a baseline and a candidate");
  refused({"compare", a, "--candidate", a}, "expected a baseline and a candidate");
  refused({"compare", a, b}, "the seeds are 7 and 9 (--allow seed)");
  refused({"compare", a, b, "--allow", "seeds"}, "no kind of difference 'seeds' (did you mean 'seed'?)");
  refused({"compare", a, a, "--policy", a}, "no key 'context'");
  refused({"compare", a, "nowhere.json"}, "nowhere.json: expected a readable file");
  EXPECT_EQ(run_ablate({"compare", a, b, "--allow", "seed"}).exit_code, 0);
}

}  // namespace
}  // namespace ablate::compare_test
