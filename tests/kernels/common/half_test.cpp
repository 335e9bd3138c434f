#include "kernels/common/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ablate::half_test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(Half, HasTheNamedValues) {
  EXPECT_EQ(float_of_half(0x0000), 0.0f);
  EXPECT_TRUE(std::signbit(float_of_half(0x8000)));
  EXPECT_EQ(float_of_half(0x0001), 0x1p-24f);
  EXPECT_EQ(float_of_half(0x0400), 0x1p-14f);
  EXPECT_EQ(float_of_half(0x3c00), 1.0f);
  EXPECT_EQ(float_of_half(0xc000), -2.0f);
  EXPECT_EQ(float_of_half(0x7bff), 65504.0f);
  EXPECT_EQ(float_of_half(0x7c00), infinity);
  EXPECT_TRUE(std::isnan(float_of_half(0x7e00)));
}

TEST(Half, OfItsOwnValueIsItself) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = float_of_half(static_cast<std::uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(float_of_half(half_of_float(value)))) << bits;
    else
      EXPECT_EQ(half_of_float(value), bits);
  }
}

// Around the middle of every two neighbors: below it the lower one, above it the upper one, at it the even
// one.
TEST(Half, IsTheNearestAndTheEvenOneOfTwoAsNear) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const auto lower = static_cast<std::uint16_t>(bits), upper = static_cast<std::uint16_t>(bits + 1);
    const float middle = (float_of_half(lower) + float_of_half(upper)) / 2;  // exact in fp32
    ASSERT_EQ(half_of_float(std::nextafter(middle, 0.0f)), lower) << bits;
    ASSERT_EQ(half_of_float(std::nextafter(middle, infinity)), upper) << bits;
    ASSERT_EQ(half_of_float(middle), bits % 2 == 0 ? lower : upper) << bits;
    ASSERT_EQ(half_of_float(-middle), (bits % 2 == 0 ? lower : upper) | 0x8000) << bits;
  }
}

TEST(Half, IsInfiniteFrom65520On) {
  EXPECT_EQ(half_of_float(65519.996f), 0x7bff);
  EXPECT_EQ(half_of_float(65520.0f), 0x7c00);
  EXPECT_EQ(half_of_float(-1e30f), 0xfc00);
  EXPECT_EQ(half_of_float(infinity), 0x7c00);
}

}  // namespace
}  // namespace ablate::half_test
