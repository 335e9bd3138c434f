// The operation convolution on the host: inputs, check and work, whatever the variant.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/solved_workload.h"

namespace ablate::convolution_test {
namespace {

using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& tested() { return *find_operation("convolution"); }

TEST(Convolution, TheReferenceIsRight) {
  for (const char* filter : {"3", "5", "15"})
    for (const char* shape : {"square", "wide"})
      for (const char* size : {"1", "14", "100"}) {
        const solved_workload c(tested(), {{"size", size}, {"filter", filter}, {"shape", shape}});
        EXPECT_TRUE(c.check().ok) << c.check().message;
      }
}

TEST(Convolution, AWrongElementIsNamed) {
  solved_workload c(tested(), {{"size", "40"}});
  float& spoiled = c.output<float>("out")[40 * 7 + 9];
  const float right = spoiled;
  for (const float wrong : {right + 1e-3f, std::nanf(""), INFINITY}) {
    spoiled = wrong;
    EXPECT_THAT(c.check().message, HasSubstr("row 7, column 9: expected"));
    EXPECT_FALSE(c.check().ok);
  }
}

// Corners have the fewest taps, so the smallest tolerance.
TEST(Convolution, TheLastTapIsNotLeftOutAnywhere) {
  for (const char* filter : {"3", "15"}) {
    solved_workload c(tested(), {{"size", "40"}, {"filter", filter}});
    const check_result right = c.check();
    EXPECT_EQ(right.accepted_error, 1);
    EXPECT_LT(right.max_error, 1);
    const auto out = c.output<float>("out");
    for (const std::size_t place :
         {std::size_t{0}, std::size_t{39}, std::size_t{40 * 17 + 16}, out.size() - 1}) {
      const float before = out[place];
      out[place] += 1e-4f;  // the mean product is 0.1
      const check_result wrong = c.check();
      EXPECT_FALSE(wrong.ok);
      EXPECT_GT(wrong.max_error, 1);
      EXPECT_THAT(wrong.message, HasSubstr("row " + std::to_string(place / 40) + ", column " +
                                           std::to_string(place % 40) + ": expected"));
      out[place] = before;
    }
  }
}

TEST(Convolution, AFactorWithinTheToleranceIsFound) {
  solved_workload c(tested(), {{"size", "70"}});
  EXPECT_LT(std::abs(c.quality().at("bias").get<double>()), 0x1p-26);
  for (float& element : c.output<float>("out")) element *= 1 - 0x1p-22f;
  EXPECT_THAT(c.check().message, HasSubstr("of themselves too small in the mean"));
}

TEST(Convolution, WhatIsNoNumberStaysTheGreatestError) {
  solved_workload c(tested(), {{"size", "40"}});
  c.output<float>("out")[3] = std::nanf("");
  c.output<float>("out")[100] += 1;
  EXPECT_TRUE(std::isinf(c.check().max_error));
}

TEST(Convolution, DeclaresItsWork) {
  const solved_workload c(tested(), {{"size", "30"}, {"shape", "wide"}, {"filter", "5"}});
  EXPECT_EQ(c.work.input.at("height"), 11);
  EXPECT_EQ(c.work.work.bytes, 8.0 * 30 * 11);
  EXPECT_EQ(c.work.work.flops, 2.0 * 25 * 30 * 11);
}

}  // namespace
}  // namespace ablate::convolution_test
