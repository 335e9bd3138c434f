#include "tests/harness/runner/kill_and_resume.h"

namespace ablate {
namespace {

TEST(KillAndResume, OnTheHostLosesNothingAtTwentyMoments) {
  const testing::temporary_directory files;
  testing::expect_killed_runs_lose_nothing(files.write("small.json", testing::small_suite()), "host", 20);
}

}  // namespace
}  // namespace ablate
