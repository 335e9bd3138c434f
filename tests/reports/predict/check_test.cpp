#include "reports/predict/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/bad_input.h"
#include "tests/reports/predict/made_world.h"

namespace ablate::predict {
namespace {

const scored_way& way(const chip_check& of, const std::string& name) {
  return *std::find_if(of.ways.begin(), of.ways.end(), [&](const scored_way& w) { return w.way == name; });
}

TEST(PredictCheck, BeatsWhatDoesNotKnowWhatBinds) {
  const check found = checked(made_world(), made_sheet);
  ASSERT_EQ(found.chips.size(), 2u);
  for (const chip_check& one : found.chips) {
    EXPECT_EQ(way(one, "model").all.cases, 40u);
    EXPECT_LT(way(one, "model").all.p90, 0.5 * way(one, "no change").all.p90) << one.from;
    EXPECT_LT(way(one, "model").differing.median, way(one, "no change").differing.median) << one.from;
    EXPECT_GE(one.covered, 0.6) << one.from;
  }
}

TEST(PredictCheck, SwappedCeilingsAreWorseThanNoChange) {
  std::vector<seen_record> swapped = made_world();
  std::swap(swapped[0].rates, swapped[1].rates);
  for (const chip_check& one : checked(swapped, made_sheet).chips)
    EXPECT_GT(way(one, "model").differing.median, way(one, "no change").differing.median) << one.from;
}

TEST(PredictCheck, ShuffledTimesAreNotPredicted) {
  std::vector<seen_record> shuffled = made_world();
  std::vector<seen_case>& cases = shuffled[1].cases;
  // Each operation gets the ratios of the one that is bound by something else.
  const std::vector<seen_case> before = cases, first = shuffled[0].cases;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::size_t j = (i + cases.size() / 2) % cases.size();
    cases[i].us = first[i].us * before[j].us / first[j].us;
  }
  for (const chip_check& one : checked(shuffled, made_sheet).chips)
    EXPECT_GT(way(one, "model").all.p90, 0.5 * way(one, "no change").all.p90) << one.from;
}

// Were an operation left in, its own times would move the weights that predict it.
TEST(PredictCheck, NoOperationIsPredictedByItsOwnTimes) {
  const check before = checked(made_world(), made_sheet);
  std::vector<seen_record> slower = made_world();
  for (seen_case& c : slower[1].cases)
    if (c.operation == "operation_4") c.us *= 1.6;
  const check after = checked(slower, made_sheet);
  EXPECT_EQ(before.without.at("operation_4").kappa, after.without.at("operation_4").kappa);
  EXPECT_EQ(before.without.at("operation_4").issue, after.without.at("operation_4").issue);
  EXPECT_NE(before.without.at("operation_1").kappa, after.without.at("operation_1").kappa);
}

TEST(PredictCheck, OtherKernelsOfOneNameAreLeftOut) {
  std::vector<seen_record> changed = made_world();
  changed[1].cases[0].counters->instructions *= 1.05;
  const check found = checked(changed, made_sheet);
  EXPECT_EQ(found.other_kernels, 1u);
  EXPECT_EQ(way(found.chips[0], "model").all.cases, 39u);
}

TEST(PredictCheck, OneChipAloneIsRefused) {
  std::vector<seen_record> one = made_world();
  one.pop_back();
  EXPECT_THROW(checked(one, made_sheet), bad_input);
}

TEST(PredictCheck, SizesAreHeldOutOneByOne) {
  const check found = checked(made_world(), made_sheet);
  EXPECT_EQ(found.inside.ways.back().all.cases, 40u);  // two of four sizes, 20 series
  EXPECT_EQ(found.beyond.ways.back().all.cases, 20u);
  EXPECT_LT(found.beyond.ways.back().all.median, 1e-6);  // made times are lines in work
  EXPECT_GT(found.beyond.ways.front().all.median, 0.5);
}

TEST(PredictCheck, ErrorsAreSharesAndQuantilesOfAbsoluteValues) {
  const errors found = errors_of({-0.04, 0.02, 0.3, -0.08});
  EXPECT_EQ(found.cases, 4u);
  EXPECT_DOUBLE_EQ(found.median, 0.06);
  EXPECT_DOUBLE_EQ(found.p90, 0.3);
  EXPECT_DOUBLE_EQ(found.within_5, 0.5);
  EXPECT_DOUBLE_EQ(found.within_20, 0.75);
  EXPECT_EQ(errors_of({}).cases, 0u);
}

}  // namespace
}  // namespace ablate::predict
