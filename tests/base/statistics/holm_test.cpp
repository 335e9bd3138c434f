#include "base/statistics/holm.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace ablate::gate::holm_test {
namespace {

TEST(Holm, AdjustsFromTheSmallestUp) {
  const auto adjusted = holm_adjusted({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  ASSERT_EQ(adjusted.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15) << i;
}

TEST(Holm, OneAloneStaysAndNoneGoesBeyondOne) {
  EXPECT_EQ(holm_adjusted({0.02}), std::vector<double>{0.02});
  EXPECT_EQ(holm_adjusted({0.8, 0.9}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(Holm, WhatIsNoProbabilityIsRefused) {
  EXPECT_THROW(holm_adjusted({0.5, 1.5}), std::invalid_argument);
  EXPECT_THROW(holm_adjusted({std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
}

}  // namespace
}  // namespace ablate::gate::holm_test
