#include "harness/inputs/exact_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ablate::exact_math_test {
namespace {

TEST(ExactMath, SineAndCosineAreRightToTheLastPlaces) {
  for (int i = -5000; i <= 5000; ++i) {
    const double turns = i / 1237.0;
    const long double angle = 2 * std::numbers::pi_v<long double> * turns;
    const sine_cosine value = sine_cosine_of_turns(turns);
    ASSERT_NEAR(value.sine, static_cast<double>(std::sin(angle)), 4e-16) << turns;
    ASSERT_NEAR(value.cosine, static_cast<double>(std::cos(angle)), 4e-16) << turns;
  }
}

TEST(ExactMath, QuarterTurnsAreExact) {
  constexpr double sines[] = {0, 1, 0, -1};
  for (int quarter = -8; quarter <= 8; ++quarter) {
    const sine_cosine value = sine_cosine_of_turns(quarter / 4.0);
    EXPECT_EQ(value.sine, sines[quarter & 3]) << quarter;
    EXPECT_EQ(value.cosine, sines[(quarter + 1) & 3]) << quarter;
  }
}

}  // namespace
}  // namespace ablate::exact_math_test
