#include "reports/predict/sizes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reports/predict/made_world.h"

namespace ablate::predict {
namespace {

/// 10 µs and what grows with the square of the size.
seen_case quadratic(double size) {
  seen_case out = made_case("o", "v", size, 1, 0, 4e12);
  out.us = 10 + 1e-3 * size * size;
  out.floors->bytes = 2e-4 * size * size;
  return out;
}

struct three_sizes {
  seen_case a = quadratic(100), b = quadratic(200), c = quadratic(800);
  std::vector<sized_case> all{{100, &a}, {200, &b}, {800, &c}};
};

TEST(PredictSizes, WhatIsALineInWorkIsFoundBetweenAndBeyond) {
  const three_sizes sizes;
  for (const double size : {150.0, 400.0, 1600.0, 60.0}) {
    const auto found = time_at(size, sizes.all);
    ASSERT_TRUE(found) << size;
    EXPECT_NEAR(found->us, quadratic(size).us, 1e-9 * found->us) << size;
    EXPECT_EQ(found->beyond, size > 800 || size < 100);
  }
}

TEST(PredictSizes, APowerLawThatSaysElseWidensIt) {
  const three_sizes sizes;
  EXPECT_GT(time_at(150, sizes.all)->disagreement, 0.02);
  seen_case a = quadratic(100), b = quadratic(200);
  a.us = a.floors->bytes, b.us = b.floors->bytes;
  EXPECT_NEAR(time_at(150, {{100, &a}, {200, &b}})->disagreement, 0, 1e-12);
}

TEST(PredictSizes, TooFarOrTooFewAreRefused) {
  const three_sizes sizes;
  EXPECT_FALSE(time_at(800 * 17, sizes.all));
  EXPECT_FALSE(time_at(150, {sizes.all[0]}));
  seen_case without = quadratic(100);
  without.floors.reset();
  EXPECT_FALSE(time_at(150, {{100, &without}, sizes.all[1]}));
}

TEST(PredictSizes, WordsAndTheZeroOfAWholeFileAreNoSizes) {
  EXPECT_EQ(size_of("4096"), 4096);
  EXPECT_FALSE(size_of("0"));
  EXPECT_FALSE(size_of("4096KiB"));
  EXPECT_FALSE(size_of("lidar"));
}

TEST(PredictSizes, ASeriesDiffersInOneAxisAlone) {
  const std::vector<seen_record> world = made_world();
  const std::vector<size_series> found = series_in(world[0], 3);
  ASSERT_EQ(found.size(), 10u);
  for (const size_series& one : found) {
    EXPECT_EQ(one.axis, "points");
    ASSERT_EQ(one.cases.size(), 4u);
    EXPECT_EQ(one.cases.front().size, 100);
    EXPECT_EQ(one.cases.front().of->variant, one.cases.back().of->variant);
  }
  EXPECT_TRUE(series_in(world[0], 5).empty());
}

}  // namespace
}  // namespace ablate::predict
