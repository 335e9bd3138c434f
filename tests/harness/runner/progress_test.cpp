#include "harness/runner/progress.h"

#include <gtest/gtest.h>

namespace ablate::progress_test {
namespace {

TEST(Progress, BeforeAnyCaseEndsThePlanIsWhatIsLeft) { EXPECT_DOUBLE_EQ(seconds_left(0, 60, 0), 60); }

TEST(Progress, LongCasesToComeCountForMoreThanTheirNumber) {
  // Exactly as planned: 100 short cases are done, one long one is to come.
  EXPECT_NEAR(seconds_left(100, 300, 100), 300, 1e-9);
}

TEST(Progress, TheRestGoesAtThePaceOfWhatIsDone) {
  EXPECT_NEAR(seconds_left(200, 200, 400), 400, 4) << "twice as slow as planned";
  EXPECT_NEAR(seconds_left(200, 200, 100), 100, 2) << "twice as fast";
}

TEST(Progress, OneOddCaseAtTheBeginningSaysLittle) {
  EXPECT_LT(seconds_left(0.1, 9.9, 1), 15) << "ten times as long as planned, of 9.9 s";
}

TEST(Progress, NothingIsLeftAtTheEnd) { EXPECT_EQ(seconds_left(3, 0, 5), 0); }

TEST(Progress, SeveralWorkersShareTheRest) {
  EXPECT_NEAR(seconds_left(200, 200, 100, 2), 100, 2) << "as planned";
}

}  // namespace
}  // namespace ablate::progress_test
