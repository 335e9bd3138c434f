#include "kernels/common/poison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "kernels/common/bf16.h"
#include "kernels/common/half.h"

namespace ablate {
namespace {

template <class T>
T poisoned() {
  T value;
  std::memset(&value, poison_byte, sizeof value);
  return value;
}

TEST(Poison, IsFarFromEveryRightNumber) {
  const double numbers[] = {poisoned<double>(), poisoned<float>(), float_of_bf16(poisoned<std::uint16_t>()),
                            float_of_half(poisoned<std::uint16_t>())};
  for (const double number : numbers) {
    EXPECT_LT(number, -600);  // of fp16; the others are beyond −10^20
    EXPECT_TRUE(std::isfinite(number));
  }
}

TEST(Poison, LeavesRelativeErrorsFinite) {
  EXPECT_TRUE(std::isfinite(poisoned<float>() / 1e-12f));
  EXPECT_TRUE(std::isfinite(poisoned<double>() * poisoned<float>()));
}

TEST(Poison, ShowsInASumThatBeganWithIt) {
  EXPECT_NE(poisoned<float>() + 1e6f, 1e6f);
  EXPECT_NE(poisoned<double>() + 1e6, 1e6);
}

TEST(Poison, IsNoRowNoCountAndNoMarkOfEmptiness) {
  EXPECT_LT(poisoned<std::int32_t>(), -1);
  EXPECT_LT(poisoned<std::int64_t>(), -1);
  EXPECT_GT(poison_word, std::uint32_t{1} << 31);
  EXPECT_EQ(poison_word, poisoned<std::uint32_t>());
}

}  // namespace
}  // namespace ablate
