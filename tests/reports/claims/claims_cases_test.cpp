#include "reports/claims/claims_cases.h"

#include <gmock/gmock.h>

namespace ablate::claims_cases_test {
namespace {

using ::testing::ElementsAre;

TEST(ToldCases, WhatAllHaveInCommonIsToldOnce) {
  const grouped_cases grouped = group_cases({{"op/a/size=1/order=x/@hot"}, {"op/b/size=1/order=y/@hot"}});
  EXPECT_EQ(grouped.pattern, "op/*/size=1/order=*/@hot");
  EXPECT_EQ(grouped.counterpart, "");
  EXPECT_THAT(grouped.labels, ElementsAre("a, order=x", "b, order=y"));
  EXPECT_THAT(grouped.words, ElementsAre("a, b", "order=x, y"));
}

TEST(ToldCases, ACounterpartThatDiffersAlikeIsToldOnce) {
  const grouped_cases grouped =
      group_cases({{"op/a/size=1/@hot", "op/b/size=1/@hot"}, {"op/a/size=2/@hot", "op/b/size=2/@hot"}});
  EXPECT_EQ(grouped.pattern, "op/a/size=*/@hot");
  EXPECT_EQ(grouped.counterpart, "b");
  EXPECT_THAT(grouped.labels, ElementsAre("size=1", "size=2"));
}

TEST(ToldCases, CounterpartsThatDifferStandWithTheirFigures) {
  const grouped_cases grouped = group_cases({{"op/a/size=1/@hot", "op/b/size=1/@hot"},
                                             {"op/a/size=2/@hot", "op/c/size=1/@hot"},
                                             {"op/a/size=3/@hot", "op/a/size=3/@hot"}});
  EXPECT_EQ(grouped.counterpart, "");
  EXPECT_THAT(grouped.labels,
              ElementsAre("size=1, against b", "size=2, against c, size=1", "size=3, against itself"));
}

TEST(ToldCases, OneCaseIsItsOwnPattern) {
  const grouped_cases grouped = group_cases({{"op/a/size=1/@hot"}});
  EXPECT_EQ(grouped.pattern, "op/a/size=1/@hot");
  EXPECT_THAT(grouped.labels, ElementsAre(""));
}

/// The = of a point belongs to its name.
TEST(ToldCases, PointsAreNamesLikeThoseOfVariants) {
  const grouped_cases grouped = group_cases({{"op/a+threads=64/size=1/@hot"}, {"op/b/size=1/@hot"}});
  EXPECT_EQ(grouped.pattern, "op/*/size=1/@hot");
  EXPECT_THAT(grouped.words, ElementsAre("a+threads=64, b"));
}

TEST(ToldCases, IdsOfDifferentLengthsAreToldWhole) {
  const grouped_cases grouped = group_cases({{"op/a/@hot"}, {"op/a/size=1/@hot"}});
  EXPECT_EQ(grouped.pattern, "");
  EXPECT_THAT(grouped.labels, ElementsAre("op/a/@hot", "op/a/size=1/@hot"));
}

}  // namespace
}  // namespace ablate::claims_cases_test
