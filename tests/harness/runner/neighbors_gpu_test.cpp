// Two workers on one GPU. Their processes take slices of its time that outlast a kernel, so that most samples
// see nothing of the other: what a median shows of a load beside it is small, and must be found all the same.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "harness/registry/registry.h"
#include "harness/runner/run.h"
#include "harness/suite/suite.h"
#include "tests/support/capability.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_directory.h"

namespace ablate::neighbors_gpu_test {
namespace {

/// Such tests must not open CUDA in their own process, whose workers are forked.
class NeighborsOnOneGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) ABLATE_LACKS("cuda", "this build has no CUDA");
    std::string why_none;
    const auto gpus = backend->gpus(asked_in::a_child, why_none);
    if (gpus.empty()) ABLATE_LACKS("gpu", why_none);
    gpu_ = gpus.front();
  }

  /// So many workers, each with a name of its own for the GPU.
  std::vector<run_device> workers(int count) const {
    std::vector<run_device> out;
    for (int i = 0; i < count; ++i)
      out.push_back({{gpu_.name, gpu_.uuid + "-" + std::to_string(i), gpu_.driver},
                     "worker " + std::to_string(i),
                     [] { return find_cuda_backend()->make_executor(0, {}); }});
    return out;
  }

  /// The record of a small suite.
  nlohmann::json run(int count) const {
    const test_support::temporary_directory files;
    const auto file = files.write("small.json", R"({"name": "small", "description": "three bundles",
        "cases": [{"operation": "voxelize", "variants": ["global_atomic"],
                   "axes": {"points": [2097152, 4194304, 8388608]}, "cache": ["cold-clean"]}]})");
    run_options options;
    options.out = files.path() / "out";
    options.launch.ceilings = {"launch", "dram_read_bytes", "tensor_bf16_flops"};
    const target on{.host = false, .compute_capability = gpu_.compute_capability};
    EXPECT_EQ(run_suite_on(read_suite(file), options, on, workers(count)), 0);
    return nlohmann::json::parse(test_support::slurp(options.out / "record.json"));
  }

  gpu_summary gpu_;
};

std::map<std::string, double> suite_medians_us(const nlohmann::json& record) {
  std::map<std::string, double> out;
  for (const auto& entry : record.at("benchmarks"))
    if (!entry.contains("ceiling")) out[entry.at("name")] = entry.at("real_time");
  return out;
}

/// Runs a test of this program in a process of its own.
test_support::program_result run_apart(const std::string& test) {
  return test_support::run_program({"/proc/self/exe", "--gtest_also_run_disabled_tests",
                                    "--gtest_filter=NeighborsOnOneGpu.DISABLED_" + test});
}

TEST_F(NeighborsOnOneGpu, TakeTurnsSinceALoadBesideIsSeen) {
  const auto apart = run_apart("ALoadBesideIsSeen");
  EXPECT_EQ(apart.exit_code, 0) << apart.out << apart.error;
}

TEST_F(NeighborsOnOneGpu, MeasureInTurnsWhatOneMeasuresAlone) {
  const auto apart = run_apart("InTurnsTimesAreThoseOfOneAlone");
  EXPECT_EQ(apart.exit_code, 0) << apart.out << apart.error;
}

TEST_F(NeighborsOnOneGpu, DISABLED_ALoadBesideIsSeen) {
  const nlohmann::json record = run(2);
  const auto& parts = record.at("context").at("ablate").at("parts");
  ASSERT_GE(parts.size(), 1u);
  const auto& neighbors = parts.at(0).at("worker").at("neighbors");
  EXPECT_TRUE(neighbors.at("in_turns").get<bool>());
  EXPECT_EQ(neighbors.at("cases").size(), 3u);
  for (const auto& c : neighbors.at("cases")) {
    if (c.at("name").get<std::string>().find("dram_read_bytes") == std::string::npos) continue;
    EXPECT_TRUE(c.at("matters").get<bool>()) << "tensor cores were busy beside it: " << c.dump();
    EXPECT_GT(c.at("ratio_low").get<double>(), 1) << c.dump();
  }
  ASSERT_TRUE(neighbors.contains("at_end"));
  EXPECT_EQ(neighbors.at("at_end").at("cases").size(), 3u);
  for (const auto& entry : record.at("benchmarks"))
    EXPECT_TRUE(entry.contains("ceiling") || entry.at("neighbors_busy") == 0);
}

TEST_F(NeighborsOnOneGpu, DISABLED_InTurnsTimesAreThoseOfOneAlone) {
  const auto alone = suite_medians_us(run(1)), in_turns = suite_medians_us(run(2));
  ASSERT_EQ(alone.size(), 3u);
  ASSERT_EQ(in_turns.size(), 3u);
  for (const auto& [name, us] : alone) EXPECT_NEAR(in_turns.at(name) / us, 1, 0.03) << name;
}

}  // namespace
}  // namespace ablate::neighbors_gpu_test
