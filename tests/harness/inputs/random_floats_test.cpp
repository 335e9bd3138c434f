#include "harness/inputs/random_floats.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/inputs/random.h"

namespace ablate::random_floats_test {
namespace {

TEST(RandomFloats, FillTheirHalfOpenInterval) {
  const std::vector<float> values = random_floats(100000, 1, "test");
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -1.0f);
  EXPECT_LT(*least, -0.999f);
  EXPECT_LT(*greatest, 1.0f);
  EXPECT_GT(*greatest, 0.999f);
  double sum = 0, squares = 0;
  for (const float value : values) sum += value, squares += value * value;
  EXPECT_NEAR(sum / 1e5, 0, 0.01);
  EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.01);
}

// scripts/rivals/bench_torch.py makes the same numbers.
TEST(RandomFloats, TakeTheHighBitsOfTheStream) {
  random_stream random(3, "test");
  for (const float value : random_floats(100, 3, "test"))
    ASSERT_EQ(value, static_cast<float>(static_cast<double>(random.next() >> 40) * 0x1p-23 - 1));
}

TEST(RandomFloats, PrefixesAreTheSame) {
  const auto few = random_floats(10, 1, "test"), many = random_floats(20, 1, "test");
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  EXPECT_TRUE(random_floats(0, 1, "test").empty());
}

}  // namespace
}  // namespace ablate::random_floats_test
