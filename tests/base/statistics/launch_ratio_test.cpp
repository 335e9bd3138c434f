#include "base/statistics/launch_ratio.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <stdexcept>

#include "tests/support/paths.h"
#include "tests/support/slurp.h"

namespace ablate::gate::launch_ratio_test {
namespace {

constexpr double nominal = 0.95;

struct spread {
  double specimen, launch;  ///< standard deviations of the logarithm
};

/// Launches on GPUs in turn, of two cases whose true ratio is 1.
std::vector<launched_ratio> made(std::size_t launches, std::size_t specimens, const spread& of,
                                 std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> by_specimen(specimens);
  for (double& s : by_specimen) s = of.specimen * normal(random);
  std::vector<launched_ratio> out;
  for (std::size_t i = 0; i < launches; ++i)
    out.push_back({i % specimens, by_specimen[i % specimens] + of.launch * normal(random)});
  return out;
}

double share_covered(std::size_t launches, std::size_t specimens, const spread& of) {
  std::mt19937_64 random(7);
  constexpr int trials = 4000;
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    const launch_ratio r = ratio_over_launches(made(launches, specimens, of, random), nominal);
    covered += r.low <= 0 && 0 <= r.high;
  }
  return covered / static_cast<double>(trials);
}

TEST(LaunchRatio, IsTheMeanWithStudentsInterval) {
  const launch_ratio r = ratio_over_launches({{1, 0.1}, {1, 0.3}, {2, 0.2}}, nominal);
  EXPECT_NEAR(r.estimate, 0.2, 1e-12);
  EXPECT_NEAR(r.high - r.estimate, 4.3027 * 0.1 / std::sqrt(3), 1e-4);
  EXPECT_NEAR(r.estimate - r.low, r.high - r.estimate, 1e-12);
  EXPECT_EQ(r.launches, 3u);
  EXPECT_EQ(r.specimens, 2u);
}

TEST(LaunchRatio, OfGpusThatDifferHasTheirDegreesOfFreedom) {
  // Within a GPU all launches agree, so that there are three values and not nine.
  std::vector<launched_ratio> launches;
  for (int i = 0; i < 3; ++i)
    for (const std::uint64_t gpu : {1u, 2u, 3u}) launches.push_back({gpu, 0.1 * static_cast<double>(gpu)});
  const launch_ratio r = ratio_over_launches(launches, nominal);
  EXPECT_NEAR(r.high - r.estimate, 4.3027 * 0.1 / std::sqrt(3), 1e-4);
}

TEST(LaunchRatio, OneLaunchBoundsNothing) {
  const launch_ratio r = ratio_over_launches({{1, 0.5}}, nominal);
  EXPECT_EQ(r.estimate, 0.5);
  EXPECT_EQ(r.low, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(r.high, std::numeric_limits<double>::infinity());
}

TEST(LaunchRatio, EqualLaunchesHaveNoWidth) {
  const launch_ratio r = ratio_over_launches({{1, 3.3}, {1, 3.3}, {2, 3.3}, {3, 3.3}}, nominal);
  EXPECT_EQ(r.low, 3.3);
  EXPECT_EQ(r.high, 3.3);
}

TEST(LaunchRatio, LaunchesThatAgreeAreNoSurerThanTheirSamples) {
  const launch_ratio r =
      ratio_over_launches({{1, 0.1, 0.02}, {1, 0.1, 0.02}, {1, 0.1, 0.02}, {1, 0.1, 0.02}}, nominal);
  EXPECT_NEAR(r.high - r.estimate, 1.96 * 0.02 / 2, 1e-5);
}

TEST(LaunchRatio, CoversTheTruthAsOftenAsItSays) {
  for (const std::size_t launches : {2u, 3u, 6u, 24u})
    EXPECT_NEAR(share_covered(launches, 1, {0, 0.01}), nominal, 0.01) << launches;
  EXPECT_NEAR(share_covered(12, 2, {0, 0.01}), nominal, 0.01);
}

TEST(LaunchRatio, CoversWhatGpusDifferBy) {
  for (const std::size_t specimens : {4u, 8u}) {
    EXPECT_NEAR(share_covered(3 * specimens, specimens, {0.01, 0.003}), nominal, 0.02) << specimens;
    EXPECT_GE(share_covered(3 * specimens, specimens, {0, 0.01}), nominal - 0.01) << specimens;
  }
  // What two GPUs differ by cannot be told from launches; the header says so.
  EXPECT_LT(share_covered(12, 2, {0.02, 0.001}), 0.8);
}

TEST(LaunchRatio, RefusesWhatHasNoRatio) {
  EXPECT_THROW(ratio_over_launches({}, nominal), std::invalid_argument);
  EXPECT_THROW(ratio_over_launches({{1, 0}, {1, std::nan("")}}, nominal), std::invalid_argument);
  EXPECT_THROW(ratio_over_launches({{1, 0}}, 1), std::invalid_argument);
  EXPECT_THROW(ratio_over_launches({{1, 0}}, 0), std::invalid_argument);
}

/// Pairs of cases that a program measured in the same launches, on an H200.
std::vector<std::vector<launched_ratio>> measured_pairs() {
  const auto document = nlohmann::json::parse(
      test_support::slurp(test_support::source_path("tests/base/statistics/data/launches_h200.json")));
  std::vector<std::vector<launched_ratio>> out;
  for (const auto& group : document.at("groups")) {
    const std::size_t cases = group.at("cases").size();
    for (std::size_t a = 0; a < cases; ++a)
      for (std::size_t b = a + 1; b < cases; ++b) {
        std::vector<launched_ratio> launches;
        for (const auto& launch : group.at("median_us"))
          if (!launch.at(a).is_null() && !launch.at(b).is_null())
            launches.push_back({0, std::log(launch.at(b).get<double>() / launch.at(a).get<double>())});
        if (launches.size() >= 20) out.push_back(std::move(launches));
      }
  }
  return out;
}

TEST(LaunchRatio, OfSomeLaunchesHoldsTheRatioOfTheOthers) {
  std::mt19937_64 random(11);
  const auto pairs = measured_pairs();
  ASSERT_GT(pairs.size(), 50u);
  for (const std::size_t taken : {6u, 8u, 10u}) {
    int covered = 0, trials = 0;
    for (std::vector<launched_ratio> launches : pairs)
      for (int repeat = 0; repeat < 20; ++repeat) {
        std::shuffle(launches.begin(), launches.end(), random);
        const std::vector<launched_ratio> some(launches.begin(), launches.begin() + static_cast<long>(taken)),
            others(launches.begin() + static_cast<long>(taken), launches.end());
        const launch_ratio r = ratio_over_launches(some, nominal);
        // The others' mean has an error of its own, of as many launches as they are.
        const double wider = std::sqrt(1 + static_cast<double>(taken) / static_cast<double>(others.size()));
        const double truth = ratio_over_launches(others, nominal).estimate;
        covered += r.estimate - wider * (r.estimate - r.low) <= truth &&
                   truth <= r.estimate + wider * (r.high - r.estimate);
        ++trials;
      }
    const double share = covered / static_cast<double>(trials);
    EXPECT_GE(share, 0.93) << taken << " of the launches";
    EXPECT_LE(share, 0.98) << taken << " of the launches";
  }
}

}  // namespace
}  // namespace ablate::gate::launch_ratio_test
