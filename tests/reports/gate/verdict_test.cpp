#include "reports/gate/verdict.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ablate::gate::verdict_test {
namespace {

constexpr double delta = 0.05, half = 0.025, smallest = 0.01;

/// Of an estimate whose interval is so wide to either side.
verdict of_one_launch(double estimate, double reach) {
  return verdict_of_one_launch({estimate, estimate - reach, estimate + reach}, delta, half, smallest);
}

TEST(Verdict, OfOneLaunchIsUnsureUpToTheWiderDelta) {
  EXPECT_EQ(of_one_launch(0.06, 0.01), verdict::slower);
  EXPECT_EQ(of_one_launch(-0.06, 0.01), verdict::faster);
  EXPECT_EQ(of_one_launch(0.04, 0.001), verdict::inconclusive);
  EXPECT_EQ(of_one_launch(-0.04, 0.001), verdict::inconclusive);
  EXPECT_EQ(of_one_launch(0.009, 0.001), verdict::same);
  EXPECT_EQ(of_one_launch(-0.009, 0.5), verdict::same)
      << "within a launch the interval says nothing of others";
}

TEST(Verdict, OfOneLaunchNeedsAnIntervalThatExcludesHalf) {
  EXPECT_EQ(of_one_launch(0.06, 0.036), verdict::inconclusive);
  EXPECT_EQ(of_one_launch(-0.06, 0.036), verdict::inconclusive);
  EXPECT_EQ(of_one_launch(0.06, 0.034), verdict::slower);
}

TEST(Verdict, OfWhatIsNoNumberIsNotSame) { EXPECT_EQ(of_one_launch(std::nan(""), 0), verdict::inconclusive); }

TEST(Verdict, AnIntervalExcludesWhatItLiesWhollyBeyond) {
  const auto excluded = [](double low, double high) { return excluded_by({0, low, high}, half); };
  EXPECT_TRUE(excluded(0.03, 0.09).slower);
  EXPECT_FALSE(excluded(0.03, 0.09).faster);
  EXPECT_FALSE(excluded(0.02, 0.09).slower);
  EXPECT_TRUE(excluded(-0.09, -0.03).faster);
  EXPECT_FALSE(excluded(-INFINITY, INFINITY).slower || excluded(-INFINITY, INFINITY).faster);
}

}  // namespace
}  // namespace ablate::gate::verdict_test
