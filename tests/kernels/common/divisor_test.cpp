#include "kernels/common/divisor.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace ablate::divisor_test {
namespace {

/// A positive float of any significand, its exponent drawn from [low, high].
float any_float(std::mt19937& random, int low, int high) {
  const int exponent = std::uniform_int_distribution<int>(low, high)(random);
  const auto significand = static_cast<std::uint32_t>(random() & 0x7fffff);
  return std::bit_cast<float>(significand | static_cast<std::uint32_t>(exponent + 127) << 23);
}

TEST(Divisor, RoundsAsADivisionDoes) {
  std::mt19937 random(1);
  for (int i = 0; i < 500000; ++i) {
    const float value = any_float(random, -60, 60), dividend = any_float(random, -40, 40);
    const divisor by(value);
    ASSERT_EQ(by.divide(dividend), dividend / value) << dividend << " / " << value;
    ASSERT_EQ(by.divide(-dividend), -dividend / value) << -dividend << " / " << value;
  }
}

TEST(Divisor, RoundsAsADivisionDoesNextToWholeNumbers) {
  for (const float value : {0.02f, 0.05f, 0.0625f, 0.1f, 0.8f, 1.28f / 128, 1.9999999f, 3.0f})
    for (int whole = 1; whole <= 4096; ++whole) {
      float dividend = static_cast<float>(whole) * value;
      for (int i = 0; i < 4; ++i) dividend = std::nextafter(dividend, 0.0f);
      for (int i = 0; i < 8; ++i, dividend = std::nextafter(dividend, 1e9f))
        ASSERT_EQ(divisor(value).divide(dividend), dividend / value) << dividend << " / " << value;
    }
}

TEST(Divisor, KnowsWhatIsRoundedToZeroFromBelow) {
  for (const float value : {0.02f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 1000.7f, 1048576.0f}) {
    const float nearest = divisor(value).nearest_below_zero();
    ASSERT_LT(nearest, 0.0f);
    EXPECT_LT(nearest / value, 0.0f) << value;
    EXPECT_EQ(std::nextafter(nearest, 0.0f) / value, 0.0f) << value;
  }
}

TEST(Divisor, GivesNoNumberWhereTheQuotientIsNone) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const divisor by(0.02f);
  EXPECT_TRUE(std::isnan(by.divide(infinity)));
  EXPECT_TRUE(std::isnan(by.divide(-infinity)));
  EXPECT_TRUE(std::isnan(by.divide(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(by.divide(std::numeric_limits<float>::max())));
  EXPECT_EQ(by.divide(0.0f), 0.0f);
}

}  // namespace
}  // namespace ablate::divisor_test
