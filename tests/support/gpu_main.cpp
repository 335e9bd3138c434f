#include <gtest/gtest.h>

/// Exit code 77, CTest's SKIP_RETURN_CODE, where every test was skipped: a process that ran nothing must not
/// count as passed, and one that skipped some and failed others must count as failed.
int main(int count, char** words) {
  ::testing::InitGoogleTest(&count, words);
  const int failed = RUN_ALL_TESTS();
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  return failed == 0 && all.skipped_test_count() == all.test_to_run_count() ? 77 : failed;
}
