// The operation matmul on the host: axes, inputs, check and work, whatever the variant.
#include <gmock/gmock.h>

#include "harness/registry/registry.h"
#include "kernels/common/poison.h"
#include "kernels/matmul/matmul.h"
#include "tests/support/solved_workload.h"

namespace ablate::matmul_test {
namespace {

using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& tested() { return *find_operation("matmul"); }

TEST(Matmul, TheReferenceIsRightInEveryShape) {
  for (const char* shape : {"square", "tall", "wide", "deep"})
    for (const char* size : {"1", "2", "33", "100"}) {
      solved_workload c(tested(), {{"size", size}, {"shape", shape}});
      EXPECT_TRUE(c.check().ok) << shape << ", " << size << ": " << c.check().message;
      EXPECT_LT(c.quality().at("relative_error").get<double>(), 1e-6);
    }
}

TEST(Matmul, AWrongElementIsNamed) {
  solved_workload c(tested(), {{"size", "64"}});
  c.output<float>("c")[64 * 3 + 5] += 1;
  EXPECT_FALSE(c.check().ok);
  EXPECT_THAT(c.check().message, HasSubstr("row 3, column 5: expected"));
}

TEST(Matmul, AFactorWithinTheToleranceIsFound) {
  solved_workload c(tested(), {{"size", "100"}});
  EXPECT_LT(c.quality().at("bias").get<double>(), 0x1p-26);
  for (float& element : c.output<float>("c")) element *= 1 - 0x1p-21f;
  EXPECT_THAT(c.check().message, HasSubstr("of themselves too small in the mean"));
}

TEST(Matmul, WhatIsNeverWrittenIsFound) {
  solved_workload c(tested(), {{"size", "100"}});
  std::memset(c.output<float>("c").data() + 9999, poison_byte, sizeof(float));
  EXPECT_THAT(c.check().message, HasSubstr("row 99, column 99: expected"));
}

TEST(Matmul, ShapesDifferInAllDimensions) {
  const solved_workload c(tested(), {{"size", "10"}, {"shape", "tall"}});
  EXPECT_EQ(c.work.input.at("hash").get<std::string>().size(), 16u);
  EXPECT_EQ(c.work.input.at("m"), 10);
  EXPECT_EQ(c.work.input.at("n"), 5);
  EXPECT_EQ(c.work.input.at("k"), 3);
  EXPECT_EQ(c.work.work.flops, 2.0 * 10 * 5 * 3);
  EXPECT_EQ(c.work.work.bytes, 4.0 * (10 * 3 + 3 * 5 + 10 * 5));
}

}  // namespace
}  // namespace ablate::matmul_test
