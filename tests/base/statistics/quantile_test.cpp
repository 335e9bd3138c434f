#include "base/statistics/quantile.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace ablate::gate::quantile_test {
namespace {

TEST(Quantile, IsOneOfTheValues) {
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_EQ(quantile(hundred, 0.99), 99);
  EXPECT_EQ(quantile(hundred, 0.991), 100);
  EXPECT_EQ(quantile(hundred, 1), 100);
  EXPECT_EQ(quantile(hundred, 0.001), 1);
  EXPECT_EQ(quantile({3, 1, 2}, 0.99), 3) << "a high quantile of few values is the largest";
}

TEST(Quantile, TheMedianIsInTheMiddle) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

TEST(Quantile, WhatHasNoOrderIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile({1, nan}, 0.5), std::invalid_argument);
  EXPECT_THROW(quantile({1}, 0), std::invalid_argument);
  EXPECT_THROW(quantile({1}, nan), std::invalid_argument);
  EXPECT_THROW(median({}), std::invalid_argument);
  EXPECT_THROW(median({nan}), std::invalid_argument);
}

}  // namespace
}  // namespace ablate::gate::quantile_test
