#include "harness/cli/shard_option.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/text/bad_input.h"

namespace ablate::shard_option_test {
namespace {

using ::testing::HasSubstr;
using variables = std::map<std::string, std::string>;

/// "2/8", or what is said against it.
std::string read(const std::string& text, const variables& set = {}) {
  try {
    const shard_place at = shard_of(text, [&](const char* name) -> std::optional<std::string> {
      const auto found = set.find(name);
      return found == set.end() ? std::nullopt : std::optional(found->second);
    });
    return std::to_string(at.index) + "/" + std::to_string(at.count);
  } catch (const bad_input& e) {
    return e.what();
  }
}

TEST(ShardOption, IsIndexAndCount) {
  EXPECT_EQ(read("1/1"), "1/1");
  EXPECT_EQ(read("3/8"), "3/8");
  for (const char* wrong : {"0/8", "9/8", "-1/8", "1/0", "1/200000"})
    EXPECT_THAT(read(wrong), HasSubstr("expected i/n, with i from 1 to n")) << wrong;
  for (const char* wrong : {"", "3", "3/", "/8", "a/8", "3/8/1", "3/8x", " 3/8"})
    EXPECT_THAT(read(wrong), HasSubstr("is no shard; expected i/n, auto or auto/n")) << wrong;
}

TEST(ShardOption, AsksSlurm) {
  const variables array = {{"SLURM_ARRAY_TASK_ID", "3"},
                           {"SLURM_ARRAY_TASK_MIN", "1"},
                           {"SLURM_ARRAY_TASK_MAX", "8"},
                           {"SLURM_ARRAY_TASK_COUNT", "8"}};
  EXPECT_EQ(read("auto", array), "3/8");
  EXPECT_EQ(read("auto/8", array), "3/8");
  EXPECT_EQ(
      read("auto",
           {{"SLURM_ARRAY_TASK_ID", "0"}, {"SLURM_ARRAY_TASK_MIN", "0"}, {"SLURM_ARRAY_TASK_COUNT", "8"}}),
      "1/8");
  EXPECT_EQ(read("auto", {{"SLURM_ARRAY_TASK_ID", "20"},
                          {"SLURM_ARRAY_TASK_MIN", "10"},
                          {"SLURM_ARRAY_TASK_STEP", "5"},
                          {"SLURM_ARRAY_TASK_COUNT", "4"}}),
            "3/4");
  EXPECT_EQ(read("auto", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}), "1/4") << "tasks of one job";
}

TEST(ShardOption, APartOfAnArraySubmittedAgainKeepsItsIds) {
  EXPECT_EQ(
      read("auto/8",
           {{"SLURM_ARRAY_TASK_ID", "6"}, {"SLURM_ARRAY_TASK_MIN", "6"}, {"SLURM_ARRAY_TASK_COUNT", "1"}}),
      "6/8");
}

TEST(ShardOption, AsksTheOtherSchedulers) {
  EXPECT_EQ(read("auto/4", {{"PBS_ARRAY_INDEX", "4"}}), "4/4");
  EXPECT_EQ(read("auto/4", {{"PBS_ARRAYID", "1"}}), "1/4");
  EXPECT_EQ(read("auto", {{"LSB_JOBINDEX", "2"}, {"LSB_JOBINDEX_END", "5"}}), "2/5");
  EXPECT_EQ(read("auto/4", {{"JOB_COMPLETION_INDEX", "0"}}), "1/4");
  EXPECT_EQ(read("auto", {{"CI_NODE_INDEX", "2"}, {"CI_NODE_TOTAL", "3"}}), "2/3");
}

TEST(ShardOption, SaysWhatASchedulerDoesNotTell) {
  EXPECT_THAT(read("auto"), HasSubstr("no scheduler gives this job's index in an array"));
  EXPECT_THAT(read("auto", {{"LSB_JOBINDEX", "0"}}), HasSubstr("no scheduler gives"));
  EXPECT_THAT(read("auto", {{"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}}), HasSubstr("no scheduler gives"));
  EXPECT_THAT(
      read("auto", {{"PBS_ARRAY_INDEX", "4"}}),
      HasSubstr("auto: PBS says that this is job 4 of an array, but not of how many; expected auto/n"));
  EXPECT_THAT(read("auto/4", {{"PBS_ARRAY_INDEX", "5"}}), HasSubstr("auto: PBS gives 5 of 4; expected i/n"));
}

}  // namespace
}  // namespace ablate::shard_option_test
