#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "harness/runner/executor.h"

namespace {

/// Shards take turns on the machine's GPUs, as far as these are like the first one; all of them on that one
/// would wait for each other. Starts the program again, which sees its GPU alone.
void choose_gpu_of_shard(char** words) {
  const char* const shard = std::getenv("GTEST_SHARD_INDEX");
  const ablate::cuda_backend* const cuda = ablate::find_cuda_backend();
  if (!shard || !cuda || std::getenv("CUDA_VISIBLE_DEVICES")) return;
  std::string why_none;
  std::vector<std::string> alike;
  const std::vector<ablate::gpu_summary> all = cuda->gpus(ablate::asked_in::a_child, why_none);
  for (const ablate::gpu_summary& gpu : all)
    if (gpu.name == all.front().name) alike.push_back(gpu.uuid);
  if (alike.size() < 2) return;
  setenv("CUDA_VISIBLE_DEVICES", alike[std::strtoul(shard, nullptr, 10) % alike.size()].c_str(), 1);
  execv("/proc/self/exe", words);
}

}  // namespace

/// Exit code 77, CTest's SKIP_RETURN_CODE, where every test was skipped: a process that ran nothing must not
/// count as passed, and one that skipped some and failed others must count as failed.
int main(int count, char** words) {
  choose_gpu_of_shard(words);
  ::testing::InitGoogleTest(&count, words);
  const int failed = RUN_ALL_TESTS();
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  return failed == 0 && all.skipped_test_count() == all.test_to_run_count() ? 77 : failed;
}
