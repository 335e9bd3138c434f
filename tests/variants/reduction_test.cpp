// The operation reduction on the host: inputs, check and work, whatever the variant.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "tests/support/solved_workload.h"

namespace ablate::reduction_test {
namespace {

using test_support::solved_workload;
using ::testing::HasSubstr;

const operation& tested() { return *find_operation("reduction"); }

TEST(Reduction, TheReferenceIsRight) {
  for (const char* values : {"reals", "integers"})
    for (const char* elements : {"1", "2", "1000", "100001"}) {
      solved_workload c(tested(), {{"elements", elements}, {"values", values}});
      EXPECT_TRUE(c.check().ok) << c.check().message;
      EXPECT_LT(c.quality().at("error_over_norm").get<double>(), 1e-6);
    }
}

TEST(Reduction, IntegersAreOddAndOneTooManyIsFound) {
  solved_workload c(tested(), {{"elements", "4096"}, {"values", "integers"}});
  std::set<float> seen;
  for (std::size_t i = 0; i < 4096; ++i) {
    float value;
    std::memcpy(&value, c.work.contents[0].data() + sizeof value * i, sizeof value);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 16u);
  EXPECT_EQ(*seen.begin(), -15);
  EXPECT_EQ(*seen.rbegin(), 15);
  for (const float value : seen) EXPECT_EQ(std::abs(std::fmod(value, 2.0f)), 1) << value;
  c.output<float>("out")[0] += 1;
  EXPECT_THAT(c.check().message, HasSubstr("± 0, found"));
}

TEST(Reduction, NoNumberIsRefused) {
  solved_workload c(tested(), {{"elements", "100"}});
  c.output<float>("out")[0] = std::nanf("");
  EXPECT_FALSE(c.check().ok);
  c.output<float>("out")[0] = 1e6f;
  EXPECT_FALSE(c.check().ok);
}

TEST(Reduction, ReadsEachElementOnce) {
  EXPECT_EQ(solved_workload(tested(), {{"elements", "1000"}}).work.work.bytes, 4.0 * 1000 + 4);
}

}  // namespace
}  // namespace ablate::reduction_test
