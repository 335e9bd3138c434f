#include "harness/cli/committed_kernels.h"

#include <gtest/gtest.h>

namespace ablate::committed_kernels_test {
namespace {

TEST(CommittedKernels, HaveWhatTheCompilerReportsOfEach) {
  const committed_kernels committed = read_committed_kernels();
  EXPECT_EQ(committed.file, "suites/gates/static_baseline.json");
  EXPECT_GT(committed.facts.size(), 100u);
  for (const auto& [name, by_architecture] : committed.facts.items())
    for (const auto& [architecture, facts] : by_architecture.items()) {
      EXPECT_TRUE(architecture == "sm_80" || architecture == "sm_90a") << architecture;
      EXPECT_TRUE(facts.at("registers") > 0 && facts.at("registers") <= 255) << name;
      for (const char* word : {"spill_bytes", "stack_bytes", "static_shared_bytes"})
        EXPECT_GE(facts.at(word).get<int>(), 0) << name << ": zeros are told";
    }
}

TEST(CommittedKernels, KnowWhatAVariantLaunches) {
  const committed_kernels committed = read_committed_kernels();
  const auto& launches = committed.launches.at("voxelize/global_atomic");
  ASSERT_FALSE(launches.empty());
  for (const auto& launch : launches) {
    EXPECT_TRUE(committed.facts.contains(launch.at("name").get<std::string>())) << launch;
    EXPECT_GE(launch.at("dynamic_shared_bytes").get<int>(), 0);
    for (const char* architecture : {"sm_80", "sm_90a"}) {
      const auto share = launch.at("theoretical_occupancy").at(architecture).get<double>();
      EXPECT_TRUE(share > 0 && share <= 1) << launch;
    }
  }
}

}  // namespace
}  // namespace ablate::committed_kernels_test
