#include "tests/harness/runner/kill_and_resume.h"

namespace ablate::kill_and_resume_test {
namespace {

TEST(KillAndResume, OnTheHostLosesNothingHoweverOften) {
  const test_support::temporary_directory files;
  test_support::expect_killed_runs_lose_nothing(files.write("small.json", test_support::small_suite()),
                                                "--device", "host");
}

TEST(KillAndResume, OnTwoWorkersOfTheHostLosesNothingHoweverOften) {
  const test_support::temporary_directory files;
  test_support::expect_killed_runs_lose_nothing(files.write("small.json", test_support::small_suite()),
                                                "--devices", "host,host");
}

}  // namespace
}  // namespace ablate::kill_and_resume_test
