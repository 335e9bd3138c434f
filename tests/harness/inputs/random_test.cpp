#include "harness/inputs/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace ablate::random_test {
namespace {

TEST(Random, NumbersOfASeedAreTheSameEverywhere) {
  random_stream random(1, "test");
  EXPECT_EQ(random.next(), 14853296427924544762u);
  EXPECT_EQ(random.next(), 10772934931615738809u);
}

TEST(Random, SeedAndPurposeEachGiveAnotherStream) {
  EXPECT_NE(random_stream(1, "a").next(), random_stream(2, "a").next());
  EXPECT_NE(random_stream(1, "a").next(), random_stream(1, "b").next());
  EXPECT_NE(random_stream(0, "").next(), random_stream(1, "").next());
}

TEST(Random, BoundedIntegersReachEveryValueEquallyOften) {
  random_stream random(3, "test");
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) {
    const std::uint32_t value = random.below(7);
    ASSERT_LT(value, 7u);
    ++seen[value];
  }
  for (const int times : seen) EXPECT_NEAR(times, 10000, 500);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, BoundedIntegersAreFairForABoundThatHardlyDividesTheRange) {
  random_stream random(4, "test");
  constexpr std::uint32_t bound = 3u << 30;  // a plain modulus would give the lowest third twice as often
  int low = 0;
  for (int i = 0; i < 30000; ++i) low += random.below(bound) < bound / 3;
  EXPECT_NEAR(low, 10000, 500);
}

TEST(Random, UniformNumbersFillTheirHalfOpenInterval) {
  random_stream random(5, "test");
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = random.uniform(-2, 4);
    ASSERT_GE(value, -2);
    ASSERT_LT(value, 4);
    sum += value;
  }
  EXPECT_NEAR(sum / 100000, 1, 0.03);
}

TEST(Random, NormalNumbersHaveTheMomentsOfAGaussian) {
  random_stream random(6, "test");
  constexpr int count = 200000;
  double sum = 0, squares = 0;
  int within_one = 0;
  for (int i = 0; i < count; ++i) {
    const double value = random.normal();
    ASSERT_LE(std::abs(value), 6);
    sum += value;
    squares += value * value;
    within_one += std::abs(value) < 1;
  }
  EXPECT_NEAR(sum / count, 0, 0.01);
  EXPECT_NEAR(squares / count, 1, 0.015);
  EXPECT_NEAR(within_one / static_cast<double>(count), 0.683, 0.01);
}

}  // namespace
}  // namespace ablate::random_test
