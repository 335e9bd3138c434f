#include "reports/claims/claims_cases.h"

#include <gmock/gmock.h>

namespace ablate::claims_cases_test {
namespace {

using ::testing::ElementsAre;

TEST(ToldCases, WhatAllHaveInCommonIsToldOnce) {
  const told_cases told = tell_cases({{"op/a/size=1/order=x/@hot"}, {"op/b/size=1/order=y/@hot"}});
  EXPECT_EQ(told.pattern, "op/*/size=1/order=*/@hot");
  EXPECT_EQ(told.counterpart, "");
  EXPECT_THAT(told.labels, ElementsAre("a, order=x", "b, order=y"));
  EXPECT_THAT(told.words, ElementsAre("a, b", "order=x, y"));
}

TEST(ToldCases, ACounterpartThatDiffersAlikeIsToldOnce) {
  const told_cases told =
      tell_cases({{"op/a/size=1/@hot", "op/b/size=1/@hot"}, {"op/a/size=2/@hot", "op/b/size=2/@hot"}});
  EXPECT_EQ(told.pattern, "op/a/size=*/@hot");
  EXPECT_EQ(told.counterpart, "b");
  EXPECT_THAT(told.labels, ElementsAre("size=1", "size=2"));
}

TEST(ToldCases, CounterpartsThatDifferStandWithTheirFigures) {
  const told_cases told = tell_cases({{"op/a/size=1/@hot", "op/b/size=1/@hot"},
                                      {"op/a/size=2/@hot", "op/c/size=1/@hot"},
                                      {"op/a/size=3/@hot", "op/a/size=3/@hot"}});
  EXPECT_EQ(told.counterpart, "");
  EXPECT_THAT(told.labels,
              ElementsAre("size=1, against b", "size=2, against c, size=1", "size=3, against itself"));
}

TEST(ToldCases, OneCaseIsItsOwnPattern) {
  const told_cases told = tell_cases({{"op/a/size=1/@hot"}});
  EXPECT_EQ(told.pattern, "op/a/size=1/@hot");
  EXPECT_THAT(told.labels, ElementsAre(""));
}

/// The = of a point belongs to its name.
TEST(ToldCases, PointsAreNamesLikeThoseOfVariants) {
  const told_cases told = tell_cases({{"op/a+threads=64/size=1/@hot"}, {"op/b/size=1/@hot"}});
  EXPECT_EQ(told.pattern, "op/*/size=1/@hot");
  EXPECT_THAT(told.words, ElementsAre("a+threads=64, b"));
}

TEST(ToldCases, IdsOfDifferentLengthsAreToldWhole) {
  const told_cases told = tell_cases({{"op/a/@hot"}, {"op/a/size=1/@hot"}});
  EXPECT_EQ(told.pattern, "");
  EXPECT_THAT(told.labels, ElementsAre("op/a/@hot", "op/a/size=1/@hot"));
}

}  // namespace
}  // namespace ablate::claims_cases_test
