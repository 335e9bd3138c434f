#include "harness/device/compiled_capability.h"

#include <gtest/gtest.h>

namespace ablate::compiled_capability_test {
namespace {

TEST(CompiledCapability, IsTheNewestOfTheArchitectures) {
  EXPECT_EQ(newest_capability("80-real,90a-real"), 90);
  EXPECT_EQ(newest_capability("90a-real,80-virtual"), 90);
  EXPECT_EQ(newest_capability("80-virtual"), 80);
  EXPECT_EQ(newest_capability("120"), 120);
  EXPECT_EQ(newest_capability(""), 0);
}

TEST(CompiledCapability, OfAGpuIsNeverMoreThanItHas) {
  EXPECT_LE(usable_capability(80), 80);
  EXPECT_LE(usable_capability(75), 75);
}

}  // namespace
}  // namespace ablate::compiled_capability_test
