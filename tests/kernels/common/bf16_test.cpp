#include "kernels/common/bf16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ablate::bf16_test {
namespace {

TEST(Bf16, EveryNumberComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_of_bf16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(float_of_bf16(bf16_of_float(value)))) << bits;
    else
      EXPECT_EQ(bf16_of_float(value), bits);
  }
}

TEST(Bf16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(float_of_bf16(bf16_of_float(1 + 0x1p-8f)), 1.0f) << "a tie, to the even one below";
  EXPECT_EQ(float_of_bf16(bf16_of_float(1 + 3 * 0x1p-8f)), 1 + 4 * 0x1p-8f) << "a tie, to the even one above";
  EXPECT_EQ(float_of_bf16(bf16_of_float(1 + 0x1.02p-8f)), 1 + 0x1p-7f);
  EXPECT_EQ(float_of_bf16(bf16_of_float(-1 - 0x1.fep-9f)), -1.0f);
  EXPECT_EQ(float_of_bf16(bf16_of_float(std::numeric_limits<float>::max())),
            std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace ablate::bf16_test
