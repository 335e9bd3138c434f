// The gate on a GPU: this build against itself, as it is and slowed down on purpose.
#include "harness/runner/run.h"
#include "tests/harness/gate/made_launches.h"
#include "tests/support/capability.h"
#include "tests/support/gpu.cuh"
#include "tests/support/paths.h"

namespace ablate::gate_gpu_test {
namespace {

using nlohmann::ordered_json;

class GateOfABuildAgainstItself : public test_support::gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (!IsSkipped()) {
      ASSERT_EQ(cudaFree(nullptr), cudaSuccess);  // a context, which is no foreign process's
    }
  }

  test_support::program_result gate(std::vector<std::string> more = {}) {
    ordered_json policy =
        ordered_json::parse(test_support::slurp(test_support::source_path("suites/gates/default.json")));
    policy["confirm"]["wait_seconds"] = 0;
    policy["delta"]["minimum_pct"] = 3;
    std::vector<std::string> words = {"gate",
                                      "--baseline",
                                      test_support::program_path(),
                                      "--candidate",
                                      test_support::program_path(),
                                      suite.string(),
                                      "--policy",
                                      files.write("policy.json", policy.dump()).string(),
                                      "--device",
                                      "0",
                                      "--out",
                                      (files.path() / "out").string(),
                                      "--json",
                                      (files.path() / "gate.json").string(),
                                      "--all"};
    words.insert(words.end(), more.begin(), more.end());
    return test_support::run_ablate(words);
  }

  ordered_json json() const { return ordered_json::parse(test_support::slurp(files.path() / "gate.json")); }

  test_support::temporary_directory files;
  const std::filesystem::path suite = files.write("suite.json", R"({
      "name": "gated", "description": "three cases for tests",
      "cases": [
        {"operation": "voxelize", "variants": ["global_atomic", "smem_hashed"], "axes": {"points": 8388608}},
        {"operation": "voxelize", "variants": ["global_atomic"], "axes": {"points": 131072}, "cache": ["hot"]}]})");
};

TEST_F(GateOfABuildAgainstItself, PassesWithItsControls) {
  const test_support::program_result passed = gate();
  EXPECT_EQ(passed.exit_code, 0) << passed.out << passed.error;
  const ordered_json found = json();
  std::size_t controls = 0;
  for (const auto& c : found.at("cases")) {
    controls += c.at("control").get<bool>();
    EXPECT_GE(c.at("pairs").get<int>(), 6) << c.dump();
  }
  EXPECT_EQ(controls, 2);
  EXPECT_EQ(found.at("cases").size(), 5);
  EXPECT_TRUE(found.at("outputs_compared").get<bool>());

  const auto launch = ordered_json::parse(
      test_support::slurp(files.path() / "out" / "baseline" / "0001-screen" / "record.json"));
  for (const auto& entry : launch.at("benchmarks")) {
    EXPECT_EQ(entry.at("check").at("before"), "not_checked");
    EXPECT_GE(entry.at("time_us").at("samples").size(), 30) << entry.at("name");
    const auto& state = entry.at("device_state");
    if (state.is_null()) continue;  // NVML cannot be asked
    EXPECT_GT(state.at("timed_sm_clock_mhz").get<double>(), 200);
    EXPECT_LT(state.at("timed_sm_clock_mhz").get<double>(), 4000);
  }
}

TEST_F(GateOfABuildAgainstItself, FindsADelayOfTenPercentWhereItWasInjected) {
  if (!can_inject_delay())
    ABLATE_LACKS("inject_delay", "this build cannot inject delays (ABLATE_INJECT_DELAY)");
  const test_support::program_result failed =
      gate({"--inject-delay", "10", "--inject-into", "smem_hashed|@hot", "--no-counters"});
  EXPECT_EQ(failed.exit_code, 1) << failed.out << failed.error;
  const ordered_json found = json();
  for (const auto& c : found.at("cases")) {
    const std::string name = c.at("name");
    const bool injected = name.find("voxelize") == 0 && (name.find("smem_hashed") != std::string::npos ||
                                                         name.find("@hot") != std::string::npos);
    EXPECT_EQ(c.at("verdict") == "SLOWER", injected) << c.dump();
    if (injected) {
      EXPECT_NEAR(c.at("ratio").get<double>(), 1.1, 0.02) << name;
    }
  }
}

}  // namespace
}  // namespace ablate::gate_gpu_test
