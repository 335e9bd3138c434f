#include "reports/predict/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reports/predict/made_world.h"

namespace ablate::predict {
namespace {

const chip_rates first{*made_sheet("first"), made_rates(1), "first"},
    second{*made_sheet("second"), made_rates(0.5), "second"};

transfer moved(const seen_case& c, const chip_rates& from = first, const chip_rates& to = second) {
  return {c.operation, *pressures_of(c, *from.measured), log_ratios(from, to),
          c.us,        longer_launches_us(c, from, to),  0};
}

TEST(PredictModel, WhatWaitsForMemoryTakesAsMuchLongerAsMemoryIsSlower) {
  const transfer bound = moved(made_case("o", "v", 400, 1, 0, 4e12));
  EXPECT_NEAR(bound.predicted({}), std::log(2), 0.15);
  EXPECT_LT(bound.predicted({}), std::log(2));
}

TEST(PredictModel, WhatComputesIsTheSameOnAChipWithSlowerMemory) {
  EXPECT_NEAR(moved(made_case("o", "v", 400, 0.1, 1, 4e12)).predicted({}), 0, 0.02);
}

TEST(PredictModel, ASwappedPairOfCeilingsIsSeen) {
  const seen_case c = made_case("o", "v", 400, 1, 0, 4e12);
  EXPECT_GT(moved(c, first, second).predicted({}), 0.5);
  EXPECT_LT(moved(c, second, first).predicted({}), -0.4);
}

TEST(PredictModel, SharesAddUpAndTheBusierPipeAloneComputes) {
  seen_case c = made_case("o", "v", 400, 0.5, 0.5, 4e12);
  c.counters->tensor_share = 0.5;
  const auto shares = shares_of(*pressures_of(c, *first.measured), {});
  double sum = 0;
  for (const double s : shares) sum += s;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(shares[static_cast<std::size_t>(resource::tensor)], 0.1);
  EXPECT_EQ(shares[static_cast<std::size_t>(resource::issue)], 0);
}

TEST(PredictModel, HalfAsBusyCountsAnEighth) {
  pressures p;
  p.of = {1, 0.5, 0, 0, 0, 0};
  const auto shares = shares_of(p, {});
  EXPECT_NEAR(shares[0] / shares[1], 8, 1e-9);
}

TEST(PredictModel, LaunchesThatCostMoreAreAdded) {
  chip_rates slow = first;
  slow.measured->launch_us = 6.0;
  slow.measured->launch_hot_us = 1.5;
  seen_case c = made_case("o", "v", 40, 0.1, 1, 4e12);
  c.launches = 3;
  EXPECT_DOUBLE_EQ(longer_launches_us(c, first, slow), 2 + 2 * 0.5);
  EXPECT_NEAR(moved(c, first, slow).predicted({}), std::log1p(3 / c.us), 1e-9);
  c.cache_state = "hot";
  EXPECT_DOUBLE_EQ(longer_launches_us(c, first, slow), 3 * 0.5);
}

TEST(PredictModel, WithoutCountersTheFloorsSpeak) {
  seen_case c = made_case("o", "v", 400, 1, 0, 4e12);
  c.counters.reset();
  const auto p = pressures_of(c, *first.measured);
  ASSERT_TRUE(p);
  EXPECT_FALSE(p->counted);
  EXPECT_NEAR(p->of[0], 0.909, 0.01);
  c.floors.reset();
  EXPECT_FALSE(pressures_of(c, *first.measured));
}

TEST(PredictModel, DataSheetsGiveMemoryFlopsAndTheClock) {
  const chip_rates old{*made_sheet("old"), std::nullopt, "data sheet"};
  const auto ratios = log_ratios(first, old);
  EXPECT_NEAR(ratios[static_cast<std::size_t>(resource::memory)], std::log(4), 1e-12);
  EXPECT_NEAR(ratios[static_cast<std::size_t>(resource::tensor)], std::log(3), 1e-12);
  EXPECT_NEAR(ratios[static_cast<std::size_t>(resource::l2)], std::log(1800. / 1400), 1e-12);
}

// The weights that made the times are found again, and an operation that is held out is not looked at.
TEST(PredictModel, FindsTheWeightsThatMadeTheTimes) {
  const weights truth{0.4, 2, 1.9};
  std::vector<transfer> all;
  const std::vector<seen_record> world = made_world();
  for (const seen_case& c : world[0].cases) {
    all.push_back(moved(c));
    all.back().observed = all.back().predicted(truth);
  }
  const weights found = fitted(all);
  EXPECT_NEAR(found.kappa, truth.kappa, 0.03);
  EXPECT_NEAR(found.issue, truth.issue, 0.1);
}

TEST(PredictModel, AHeldOutOperationDoesNotMoveItsOwnFit) {
  std::vector<transfer> all;
  const std::vector<seen_record> world = made_world();
  for (const seen_case& c : world[0].cases) {
    all.push_back(moved(c));
    all.back().observed = all.back().predicted({0.45, 2, 1.5});
  }
  const weights before = fitted(all, "operation_0"), before_all = fitted(all);
  for (transfer& t : all)
    if (t.operation == "operation_0") t.observed += 1;
  const weights after = fitted(all, "operation_0"), after_all = fitted(all);
  EXPECT_EQ(before.kappa, after.kappa);
  EXPECT_EQ(before.issue, after.issue);
  EXPECT_GT(std::fabs(before_all.kappa - after_all.kappa), 0.01);
}

}  // namespace
}  // namespace ablate::predict
