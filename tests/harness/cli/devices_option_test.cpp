#include "harness/cli/devices_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/bad_input.h"

namespace ablate::devices_option_test {
namespace {

using ::testing::HasSubstr;

const std::vector<gpu_summary> three = {{0, "NVIDIA H200", 90, "GPU-aaaa-1"},
                                        {1, "NVIDIA H200", 90, "GPU-aabb-2"},
                                        {2, "NVIDIA H200", 90, "GPU-cccc-3"}};

/// "GPUs 0, 2", "2 on the host", or what is said against it.
std::string read(const std::string& text, const std::vector<gpu_summary>& gpus = three) {
  try {
    const chosen_devices chosen = devices_of(text, gpus, "no driver");
    if (chosen.gpus.empty()) return fmt::format("{} on the host", chosen.host_workers);
    return fmt::format("GPUs {}", fmt::join(chosen.gpus, ", "));
  } catch (const bad_input& e) {
    return e.what();
  }
}

TEST(DevicesOption, NamesGpusByNumberOrUuid) {
  EXPECT_EQ(read("all"), "GPUs 0, 1, 2");
  EXPECT_EQ(read("2,0"), "GPUs 2, 0");
  EXPECT_EQ(read("GPU-cccc-3,GPU-aab"), "GPUs 2, 1");
  EXPECT_EQ(read("1"), "GPUs 1");
}

TEST(DevicesOption, NamesTheHostAsOftenAsItHasWorkers) {
  EXPECT_EQ(read("host"), "1 on the host");
  EXPECT_EQ(read("host,host"), "2 on the host");
  EXPECT_EQ(read("all", {}), "1 on the host");
}

TEST(DevicesOption, RefusesTheRest) {
  for (const char* word : {"a", "0,x", "0,", ",0", "0,,1", "-1", "0 ,1", "everything"})
    EXPECT_THAT(read(word), HasSubstr("is not a device; expected all, numbers or UUIDs of GPUs, or host"))
        << word;
  EXPECT_THAT(read(""), HasSubstr("--devices: expected all"));
  EXPECT_THAT(read("3"), HasSubstr("there is no GPU 3; expected 0 to 2"));
  EXPECT_THAT(read("0", {}), HasSubstr("there is no GPU (no driver); expected host"));
  EXPECT_THAT(read("GPU-d"), HasSubstr("there is no GPU GPU-d"));
  EXPECT_THAT(read("GPU-aa"), HasSubstr("'GPU-aa' matches the UUIDs of 2 GPUs"));
  EXPECT_THAT(read("0,GPU-aaaa-1"), HasSubstr("expected each GPU once, found GPU 0 twice"));
  EXPECT_THAT(read("0,host"), HasSubstr("found both"));
}

}  // namespace
}  // namespace ablate::devices_option_test
