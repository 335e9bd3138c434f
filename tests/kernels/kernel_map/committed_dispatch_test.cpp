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

#include "base/record/record.h"
#include "kernels/kernel_map/dispatch.h"
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

/// What the rule picks on a suite's workloads that no cost was fitted to, against the fastest measured.
struct score {
  int picked = 0;   ///< workloads on which its pick was measured
  int fastest = 0;  ///< on how many it is the fastest, to 2 %
  int near = 0;     ///< on how many it is within 5 % of the fastest with what counting cells takes
  double worst = 1, worst_with_count = 1;  ///< times the fastest
};

score score_of(const std::string& suite) {
  std::set<workload> fitted;
  for (const measured_case& c : maps_of("dispatch_fit")) fitted.insert(workload_of(c));
  std::map<workload, std::vector<measured_case>> by_workload;
  for (measured_case& c : maps_of(suite))
    if (const workload of = workload_of(c); !fitted.contains(of)) by_workload[of].push_back(std::move(c));
  score out;
  for (const auto& [of, cases] : by_workload) {
    const problem p = problem_of(cases.front());
    const std::string pick = measured_choice(p, counted_cells(cases.front()));
    const auto picked =
        std::find_if(cases.begin(), cases.end(), [&](const auto& c) { return c.variant == pick; });
    if (picked == cases.end()) continue;
    const auto fastest = std::min_element(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
      return a.time.median_us < b.time.median_us;
    });
    const double us = picked->time.median_us, count_us = depends_on_density(p) ? survey_us(p.rows) : 0;
    const double over = us / fastest->time.median_us, with_count = (us + count_us) / fastest->time.median_us;
    ++out.picked;
    out.fastest += over <= 1.02;
    out.near += with_count <= 1.05;
    out.worst = std::max(out.worst, over);
    out.worst_with_count = std::max(out.worst_with_count, with_count);
  }
  return out;
}

// As scripts/fit_dispatch.py prints it; its test has it too. That the rule be within 5 % everywhere is not
// met: counting cells takes more than that of maps of less than about 800 µs.
TEST(CommittedKernelMaps, MeasuredRuleIsAsNearToTheFastestWhereItWasNotFittedAsTheNotesSay) {
  const auto expect = [](const std::string& suite, const score& wanted) {
    const score found = score_of(suite);
    EXPECT_EQ(found.picked, wanted.picked) << suite;
    EXPECT_EQ(found.fastest, wanted.fastest) << suite;
    EXPECT_EQ(found.near, wanted.near) << suite;
    EXPECT_NEAR(found.worst, wanted.worst, .006) << suite;
    EXPECT_NEAR(found.worst_with_count, wanted.worst_with_count, .006) << suite;
  };
  expect("kernel_map_million", {10, 8, 4, 1.15, 1.17});
  expect("dispatch_score", {35, 28, 25, 1.42, 1.42});
}

TEST(CommittedKernelMaps, MeasuredRuleMissesTheTimesThatItIsFittedToByAsMuchAsTheFit) {
  struct percent {
    double rms, most;
  };
  // As scripts/fit_dispatch.py prints them; its test has them too.
  const std::map<std::string, percent> errors = {{"flat", {3.5, 10.4}},
                                                 {"flat_symmetric", {4.5, 10.7}},
                                                 {"hierarchical_bitmap", {11.0, 33.7}},
                                                 {"hierarchical_bitmap_symmetric", {9.8, 31.3}},
                                                 {"cells", {7.6, 24.0}},
                                                 {"cells_symmetric", {11.1, 34.1}}};
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
