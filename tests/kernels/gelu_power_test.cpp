// GELU by a power of two against erfc in fp64, for floats of every size.
#include "kernels/pool/gelu_power.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace ablate::pool {
namespace {

float by_power(float z) {
  const double tail = std::exp2(static_cast<double>(log2_of_tail(std::abs(z))));
  return gelu_of_tail(z, static_cast<float>(tail));
}

double exact(float z) { return 0.5 * z * std::erfc(-static_cast<double>(z) / std::sqrt(2.0)); }

TEST(GeluPower, IsAsCloseAsItSaysForNumbersOfEverySize) {
  for (std::uint32_t bits = 0; bits < 0x7f800000u; bits += 9973)
    for (const float z : {std::bit_cast<float>(bits), -std::bit_cast<float>(bits)}) {
      const double rounding = 0x1p-23 * std::abs(exact(z));
      ASSERT_NEAR(by_power(z), exact(z), gelu_power_error + rounding) << z;
    }
}

TEST(GeluPower, ItsTailFallsForGood) {
  for (float t = 0; t < 100; t += 0.01f) ASSERT_LT(log2_of_tail(t + 0.01f), log2_of_tail(t)) << t;
}

TEST(GeluPower, SmallNumbersAreHalved) {
  for (const float z : {0x1p-10f, -0x1p-10f, 0x1p-40f, -0x1p-40f})
    EXPECT_NEAR(by_power(z) / z, 0.5, 1e-3) << z;
}

}  // namespace
}  // namespace ablate::pool
