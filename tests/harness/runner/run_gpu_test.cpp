// The whole program on a GPU: a killed run, and two launches of the program on the same cases.
#include <algorithm>
#include <sstream>

#include "tests/harness/runner/kill_and_resume.h"
#include "tests/support/gpu.cuh"
#include "tests/support/paths.h"

namespace ablate::run_gpu_test {
namespace {

class MeasuringProgram : public test_support::gpu_test {};

TEST_F(MeasuringProgram, LosesNothingHoweverOftenItIsKilled) {
  const test_support::temporary_directory files;
  test_support::expect_killed_runs_lose_nothing(files.write("small.json", test_support::small_suite()),
                                                "--device", "0");
}

std::map<std::string, double> medians_us(const std::filesystem::path& record) {
  std::map<std::string, double> all;
  const auto whole = nlohmann::json::parse(test_support::slurp(record));
  for (const auto& entry : whole.at("benchmarks")) all[entry.at("name")] = entry.at("real_time");
  return all;
}

TEST_F(MeasuringProgram, MeasuresTheSameInTwoLaunches) {
  const test_support::temporary_directory files;
  const auto suite = files.write("repeat.json",
                                 R"({"name": "repeat", "description": "the same cases twice",
      "cases": [{"operation": "voxelize", "variants": ["global_atomic", "warp_match", "smem_hashed"],
                 "axes": {"points": 8388608}, "cache": ["cold-clean", "hot"]}]})");
  const auto first = files.path() / "first", second = files.path() / "second";
  for (const auto& out : {first, second}) {
    const auto run = test_support::run_ablate(
        {"run", suite.string(), "--device", "0", "--out", out.string(), "--ceilings", "none"});
    ASSERT_EQ(run.exit_code, 0) << run.error;
  }
  const auto again = medians_us(second / "record.json");
  int compared = 0;
  for (const auto& [name, us] : medians_us(first / "record.json")) {
    if (us < 50) continue;
    ++compared;
    EXPECT_NEAR(again.at(name) / us, 1, 0.01) << name << ": " << us << " us and " << again.at(name) << " us";
  }
  EXPECT_GE(compared, 4);
}

TEST_F(MeasuringProgram, RecordsTheMemoryOfWhatAVariantTakes) {
  const test_support::temporary_directory files;
  const auto suite = files.write("memory.json",
                                 R"({"name": "memory", "description": "with a scope table and without",
      "cases": [{"operation": "window_attention", "variants": ["mma_online", "mma_contiguous"],
                 "axes": {"rows": "contiguous", "tokens": 4096, "window": 1024, "bucket": 128, "heads": 2},
                 "cache": ["cold-clean"]}]})");
  const auto out = files.path() / "out";
  const auto run = test_support::run_ablate(
      {"run", suite.string(), "--device", "0", "--out", out.string(), "--ceilings", "none"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  std::map<std::string, long> bytes;
  const auto whole = nlohmann::json::parse(test_support::slurp(out / "record.json"));
  for (const auto& entry : whole.at("benchmarks"))
    bytes[entry.at("variant")] = entry.at("memory").at("bytes").get<long>();
  EXPECT_EQ(bytes.at("mma_online") - bytes.at("mma_contiguous"), 4 * 4096 / 128);
}

/// A kernel that draws much power, and one that is over before anybody notices.
constexpr const char* steady_suite =
    R"({"name": "steady", "description": "at a steady clock", "steady_clock": true,
      "cases": [{"operation": "matmul", "variants": ["smem_register_block"], "axes": {"size": 2048}},
                {"operation": "voxelize", "variants": ["global_atomic"], "axes": {"points": 131072},
                 "cache": ["cold-clean", "hot"]}]})";

void expect_clock(const nlohmann::json& time, double longest_s, const std::string& name) {
  const auto& clock = time.at("clock");
  ASSERT_TRUE(clock.at("sm_mhz").is_object()) << name << ": " << clock.dump();
  const auto& mhz = clock.at("sm_mhz");
  EXPECT_GT(mhz.at("median"), 200) << name;
  EXPECT_LE(mhz.at("min"), mhz.at("median")) << name;
  EXPECT_LE(mhz.at("median"), mhz.at("max")) << name;
  EXPECT_LT(clock.at("seconds"), longest_s + 1) << name;
  EXPECT_TRUE(clock.at("level").get<bool>() || clock.at("seconds") >= longest_s)
      << name << ": " << clock.dump();
}

TEST_F(MeasuringProgram, SamplesAtASteadyClockWhereTheSuiteAsks) {
  const test_support::temporary_directory files;
  const auto suite = files.write("steady.json", steady_suite);
  const auto out = files.path() / "out";
  const auto run = test_support::run_ablate(
      {"run", suite.string(), "--device", "0", "--out", out.string(), "--ceilings", "none"});
  ASSERT_EQ(run.exit_code, 0) << run.error;
  const auto whole = nlohmann::json::parse(test_support::slurp(out / "record.json"));
  ASSERT_EQ(whole.at("benchmarks").size(), 3u);
  for (const auto& entry : whole.at("benchmarks")) {
    expect_clock(entry.at("time_us"), 5, entry.at("name"));
    // What is counted around the samples and right after them is the same clock where nothing holds it down.
    const auto& clock = entry.at("time_us").at("clock");
    const double after = entry.at("device_state").at("timed_sm_clock_mhz");
    if (clock.at("event_reasons") == nlohmann::json::array()) {
      EXPECT_NEAR(clock.at("sm_mhz").at("median"), after, 0.05 * after) << entry.at("name");
    }
  }
  const auto again = test_support::run_ablate({"run", suite.string(), "--device", "0", "--out",
                                               (files.path() / "counted").string(), "--ceilings", "none",
                                               "--samples", "30"});
  ASSERT_EQ(again.exit_code, 0) << again.error;
  const auto counted = nlohmann::json::parse(test_support::slurp(files.path() / "counted" / "record.json"));
  for (const auto& entry : counted.at("benchmarks")) EXPECT_FALSE(entry.at("time_us").contains("clock"));
}

TEST_F(MeasuringProgram, TakesTurns) {
  const test_support::temporary_directory files;
  const auto suite = files.write("steady.json", steady_suite);
  const auto plan = test_support::run_ablate({"plan", suite.string(), "--json"});
  ASSERT_EQ(plan.exit_code, 0) << plan.error;
  std::string ids;
  const auto planned = nlohmann::json::parse(plan.out);
  for (const auto& c : planned.at("list"))
    if (std::string id = c.at("name"); !id.starts_with("ceilings/")) ids += id + "\n";
  ASSERT_EQ(std::ranges::count(ids, '\n'), 3) << plan.out;
  const auto asked = files.write("ids", ids + "nobody\n" + ids);
  const auto turns =
      test_support::run_program({"sh", "-c",
                                 test_support::program_path() + " dev turns " + suite.string() +
                                     " --longest-wait 0.5 < " + asked.string()});
  ASSERT_EQ(turns.exit_code, 0) << turns.error;
  std::istringstream lines(turns.out);
  int answers = 0, unknown = 0;
  for (std::string line; std::getline(lines, line); ++answers) {
    const auto answer = nlohmann::json::parse(line);
    unknown += answer.at("status") == "unknown";
    if (answer.at("status") != "unknown") {
      ASSERT_EQ(answer.at("status"), "ok") << line;
      expect_clock(answer.at("time_us"), 0.5, answer.at("name"));
    }
  }
  EXPECT_EQ(answers, 7);
  EXPECT_EQ(unknown, 1);
}

}  // namespace
}  // namespace ablate::run_gpu_test
