#include "reports/gate/aa_floors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "reports/gate/delta.h"
#include "tests/support/paths.h"

namespace ablate::gate::aa_floors_test {
namespace {

gate_policy shipped() { return read_policy(test_support::source_path("suites/gates/default.json")); }

/// Effects of a case whose builds differ by this much, up and down.
std::vector<double> differing_by(double pct) {
  std::vector<double> out;
  for (int run = 0; run < 20; ++run) out.push_back((run % 2 == 0 ? 1 : -1) * log_of_percent(pct));
  return out;
}

TEST(AAFloors, EveryTwoBuildsAreARunOnce) {
  EXPECT_EQ(pairs_of_builds(2).size(), 1u);
  EXPECT_THAT(pairs_of_builds(3),
              ::testing::ElementsAre(pair_of_builds{0, 1}, pair_of_builds{0, 2}, pair_of_builds{1, 2}));
  EXPECT_EQ(pairs_of_builds(4).size(), 6u);
}

TEST(AAFloors, TheyAreSeveralTimesWhatBuildsDifferBy) {
  const std::vector<double> floors =
      floors_pct_of(shipped(), std::vector<std::vector<double>>(28, differing_by(0.5)), 4);
  for (const double floor : floors) {
    EXPECT_GT(floor, 3 * 0.5) << "3.4 standard deviations: one gate of 28 cases in 100";
    EXPECT_LT(floor, 5 * 0.5);
  }
}

TEST(AAFloors, ACaseIsNeverBelowTheMedianCaseAndANoisyOneIsAboveIt) {
  std::vector<std::vector<double>> effects(27, differing_by(0.5));
  effects[3] = differing_by(0.001);
  effects.push_back(differing_by(3));
  const std::vector<double> floors = floors_pct_of(shipped(), effects, 4);
  EXPECT_EQ(floors[3], floors[0]);
  EXPECT_GT(floors.back(), shipped().delta.too_noisy_pct);
  EXPECT_LT(floors[0], 2.5) << "one noisy case makes no other one noisy";
}

TEST(AAFloors, FewBuildsOfFewCasesTellLess) {
  const auto floor_of = [](std::size_t cases, std::size_t builds) {
    return floors_pct_of(shipped(), std::vector<std::vector<double>>(cases, differing_by(0.5)), builds)
        .front();
  };
  EXPECT_GT(floor_of(1, 2), floor_of(1, 4));
  EXPECT_GT(floor_of(28, 2), floor_of(28, 4));
  EXPECT_THROW(floor_of(1, 1), std::invalid_argument);
  EXPECT_TRUE(floors_pct_of(shipped(), {}, 4).empty());
}

}  // namespace
}  // namespace ablate::gate::aa_floors_test
