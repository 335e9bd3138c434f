// The whole program on a GPU: a killed run, and two launches of the program on the same cases.
#include "tests/harness/runner/kill_and_resume.h"
#include "tests/support/gpu.cuh"

namespace ablate {
namespace {

class MeasuringProgram : public test_support::gpu_test {};

TEST_F(MeasuringProgram, LosesNothingHoweverOftenItIsKilled) {
  const test_support::temporary_directory files;
  test_support::expect_killed_runs_lose_nothing(files.write("small.json", test_support::small_suite()), "0");
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

}  // namespace
}  // namespace ablate
