// The measured rule against the times of committed records: what it picks where it was not fitted, and what
// it estimates where it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel_map/dispatch.h"
#include "reports/record/record.h"
#include "tests/support/paths.h"
#include "variants/convolution_kernel.h"

namespace ablate::kernel_map::committed_dispatch_test {
namespace {

/// Scene, rows and kernel.
using workload = std::array<std::string, 3>;

workload workload_of(const measured_case& c) {
  return {*find_word(c.axes, "scene"), *find_word(c.axes, "rows"), *find_word(c.axes, "kernel")};
}

/// Of a suite on an H200.
std::vector<measured_case> maps_of(const std::string& suite) {
  auto cases = read_record(ablate::test_support::source_path("results/h200/" + suite + "/record.json")).cases;
  std::erase_if(cases, [](const measured_case& c) { return c.operation != "kernel_map"; });
  return cases;
}

problem problem_of(const measured_case& c) {
  problem p;
  p.kernel = convolution_kernel(*find_word(c.axes, "kernel"));
  p.rows = c.input.at("points").get<std::int64_t>();
  p.outs = c.input.at("outs").get<std::int64_t>();
  p.slots = c.input.at("slots").get<std::int64_t>();
  EXPECT_EQ(p.offsets(), c.input.at("offsets").get<int>()) << c.name;
  EXPECT_DOUBLE_EQ(static_cast<double>(p.rows) / static_cast<double>(p.slots),
                   c.input.at("load").get<double>())
      << c.name;
  return p;
}

double counted_cells(const measured_case& c) {
  return c.input.at("coarse_cells_per_row").get<double>() * c.input.at("points").get<double>();
}

/// Holds what the rule picks to the fastest that was measured, on workloads that no cost was fitted to. Says
/// on how many of them its pick was measured.
int picks_held_to_the_fastest(const std::string& suite) {
  std::set<workload> fitted;
  for (const measured_case& c : maps_of("dispatch_fit")) fitted.insert(workload_of(c));
  std::map<workload, std::vector<measured_case>> by_workload;
  for (measured_case& c : maps_of(suite))
    if (const workload of = workload_of(c); !fitted.contains(of)) by_workload[of].push_back(std::move(c));
  int held = 0;
  for (const auto& [of, cases] : by_workload) {
    const std::string pick = measured_choice(problem_of(cases.front()), counted_cells(cases.front()));
    const auto picked =
        std::find_if(cases.begin(), cases.end(), [&](const auto& c) { return c.variant == pick; });
    if (picked == cases.end()) continue;
    const auto fastest = std::min_element(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
      return a.time.median_us < b.time.median_us;
    });
    ++held;
    EXPECT_LE(picked->time.median_us, 1.1 * fastest->time.median_us)
        << picked->name << ", but " << fastest->variant << " is faster";
  }
  return held;
}

TEST(CommittedKernelMaps, MeasuredRuleLosesAtMostATenthToTheFastestWhereItWasNotFitted) {
  EXPECT_EQ(picks_held_to_the_fastest("kernel_map_million"), 10);
  EXPECT_EQ(picks_held_to_the_fastest("dispatch_score"), 26);
}

TEST(CommittedKernelMaps, MeasuredRuleMissesTheTimesThatItIsFittedToByAsMuchAsTheFit) {
  struct percent {
    double rms, most;
  };
  // As scripts/fit_dispatch.py prints them; its test has them too.
  const std::map<std::string, percent> errors = {{"flat", {3.5, 10.4}},
                                                 {"flat_exchanged", {4.5, 10.7}},
                                                 {"hierarchical_bitmap", {11.0, 33.5}},
                                                 {"hierarchical_bitmap_exchanged", {9.7, 31.2}},
                                                 {"cells", {7.6, 24.0}},
                                                 {"cells_exchanged", {11.1, 34.1}}};
  struct sum {
    int cases = 0;
    double squares = 0, most = 0;
  };
  std::map<std::string, sum> found;
  for (const measured_case& c : maps_of("dispatch_fit"))
    for (const estimated_time& estimate : estimated_times(problem_of(c), counted_cells(c))) {
      if (estimate.variant != c.variant) continue;
      const double error = 100 * (estimate.us / c.time.median_us - 1);
      sum& of = found[c.variant];
      ++of.cases;
      of.squares += error * error;
      of.most = std::max(of.most, std::fabs(error));
    }
  ASSERT_EQ(found.size(), errors.size());
  constexpr double of_one_digit = 0.06;
  for (const auto& [variant, of] : found) {
    ASSERT_TRUE(errors.contains(variant)) << variant;
    EXPECT_EQ(of.cases, 30) << variant;
    EXPECT_NEAR(std::sqrt(of.squares / of.cases), errors.at(variant).rms, of_one_digit) << variant;
    EXPECT_NEAR(of.most, errors.at(variant).most, of_one_digit) << variant;
  }
}

}  // namespace
}  // namespace ablate::kernel_map::committed_dispatch_test
