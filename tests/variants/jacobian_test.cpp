// The operation jacobian on the host: inputs, check and work, whatever the variant.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "kernels/common/poison.h"
#include "tests/support/solved_workload.h"

namespace ablate::jacobian_test {
namespace {

using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& tested() { return *find_operation("jacobian"); }

TEST(Jacobian, TheReferenceIsRight) {
  for (const char* method : {"analytic", "difference"})
    for (const char* poses : {"1", "1000"}) {
      const solved_workload c(tested(), {{"poses", poses}, {"method", method}});
      EXPECT_TRUE(c.check().ok) << c.check().message;
      EXPECT_LT(c.quality().at("relative_error").get<double>(), 1e-7);
    }
}

TEST(Jacobian, AWrongElementIsNamed) {
  solved_workload c(tested(), {{"poses", "100"}});
  float& spoiled = c.output<float>("out")[18 * 7 + 6 + 4];
  const float right = spoiled;
  for (const float wrong : {right + 1e-5f, std::nanf("")}) {
    spoiled = wrong;
    EXPECT_THAT(c.check().message, HasSubstr("pose 7, row 1, joint 4: expected"));
    EXPECT_FALSE(c.check().ok);
  }
}

// The hand rotates about the last joint's axis without moving along it, so the last element of each pose is
// zero.
TEST(Jacobian, AnElementThatIsNeverWrittenIsFoundAlsoWhereItIsZero) {
  solved_workload c(tested(), {{"poses", "100"}});
  float& last = c.output<float>("out")[18 * 7 + 17];
  EXPECT_NEAR(last, 0, 1e-6);
  std::memset(&last, poison_byte, sizeof last);
  EXPECT_THAT(c.check().message, HasSubstr("pose 7, row 2, joint 5: expected"));
}

TEST(Jacobian, AFactorWithinTheToleranceIsFound) {
  solved_workload c(tested(), {{"poses", "1000"}});
  EXPECT_LT(std::abs(c.quality().at("bias").get<double>()), 0x1p-26);
  for (float& element : c.output<float>("out")) element *= 1 + 0x1p-19f;
  EXPECT_THAT(c.check().message, HasSubstr("of themselves too large in the mean"));
  EXPECT_GT(c.quality().at("bias").get<double>(), c.quality().at("bias_accepted").get<double>());
}

TEST(Jacobian, DeclaresCompulsoryBytes) {
  EXPECT_EQ(solved_workload(tested(), {{"poses", "1000"}}).work.work.bytes, 96 + 4.0 * 1000 * (6 + 18));
}

}  // namespace
}  // namespace ablate::jacobian_test
