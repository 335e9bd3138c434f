#include "harness/runner/progress.h"

#include <gtest/gtest.h>

namespace ablate::progress_test {
namespace {

TEST(Progress, BeforeAnyCaseEndsThePlanIsWhatIsLeft) {
  EXPECT_DOUBLE_EQ(seconds_left({10, 20, 30}, 0, 0), 60);
}

TEST(Progress, LongCasesToComeCountForMoreThanTheirNumber) {
  // Exactly as planned: 100 short cases are done, one long one is to come.
  std::vector<double> planned(100, 1);
  planned.push_back(300);
  EXPECT_NEAR(seconds_left(planned, 100, 100), 300, 1e-9);
}

TEST(Progress, TheRestGoesAtThePaceOfWhatIsDone) {
  const std::vector<double> planned(40, 10);
  EXPECT_NEAR(seconds_left(planned, 20, 400), 400, 4) << "twice as slow as planned";
  EXPECT_NEAR(seconds_left(planned, 20, 100), 100, 2) << "twice as fast";
}

TEST(Progress, OneOddCaseAtTheBeginningSaysLittle) {
  const std::vector<double> planned(100, 0.1);
  EXPECT_LT(seconds_left(planned, 1, 1), 15) << "ten times as long as planned, of 9.9 s";
}

TEST(Progress, NothingIsLeftAtTheEnd) { EXPECT_EQ(seconds_left({1, 2}, 2, 5), 0); }

}  // namespace
}  // namespace ablate::progress_test
