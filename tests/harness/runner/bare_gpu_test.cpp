// The launch for a sanitizer: every kernel is named before it runs, those of the instrumented form too.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/executor_test.cuh"

namespace ablate::test_support::bare_gpu_test {
namespace {

class BareLaunch : public executor_test {
 protected:
  nlohmann::ordered_json launch_bare(const suite_case& c, bool poisoned = false) {
    return make_cuda_executor(0, {})->launch_bare(
        c, c.operation->prepare(c.axes, inputs_), inputs_, poisoned,
        [&](const nlohmann::ordered_json& kernel) {
          said_.push_back(kernel.at("kernel").get<std::string>());
          shared_bytes_.push_back(kernel.at("shared_bytes").get<std::size_t>());
        });
  }
  std::vector<std::string> said_;
  std::vector<std::size_t> shared_bytes_;
};

TEST_F(BareLaunch, NamesEveryKernelOfBothForms) {
  const axis_values axes = {
      {"mode", "count_i32"},       {"points", "3001"},        {"batch", "2"},       {"grid", "20"},
      {"distribution", "uniform"}, {"frame", "unit"},         {"order", "natural"}, {"cell_by", "division"},
      {"layout", "x_fastest"},     {"region", "clear_kernel"}};
  const auto launched = launch_bare(case_of("voxelize", "smem_hashed", axes));
  EXPECT_EQ(launched.at("output"), "ok");
  ASSERT_EQ(said_.size(), 4u) << "clearing and counting, plain and instrumented";
  EXPECT_EQ(said_[0], said_[2]);
  EXPECT_NE(said_[1], said_[3]);
  EXPECT_EQ(shared_bytes_[0], 0u) << "clearing needs no shared memory";
  EXPECT_GT(shared_bytes_[1], 0u) << "the hash table stands in shared memory";
  for (const std::string& kernel : said_) EXPECT_NE(kernel.find("ablate::"), std::string::npos) << kernel;
  EXPECT_EQ(launch_bare(case_of("voxelize", "smem_hashed", axes), true).at("output"), "ok");
}

}  // namespace
}  // namespace ablate::test_support::bare_gpu_test
