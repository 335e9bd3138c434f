// The points around variants: every value that a launch function takes beside the variant's own is right, on
// the inputs of tests/sanitizers/suite.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"
#include "harness/suite/suite.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"
#include "tests/support/points_of_suite.h"

namespace ablate::points_test {
namespace {

using test_support::variant_run;

/// Operations with points between their variants.
std::vector<std::string> operations_with_points() {
  std::vector<std::string> out;
  for (const auto& of : operations())
    if (!test_support::is_made_up(*of) &&
        std::ranges::any_of(of->variants, [](const variant_facts& v) { return !v.takes.empty(); }))
      out.push_back(of->name);
  return out;
}

class PointsOnGpu : public test_support::gpu_test, public ::testing::WithParamInterface<std::string> {};

TEST_P(PointsOnGpu, AreRight) {
  const operation& of = *find_operation(GetParam());
  const suite from = read_suite(test_support::source_path("tests/sanitizers/suite.json"));
  const input_library inputs(from.seed, from.point_files, {});
  const int here = test_support::compute_capability_in_use();
  const std::vector<suite_case> cases = expand(from, {false, here}, inputs);
  std::map<const suite_case*, std::vector<const variant_facts*>> points;
  for (const variant_facts* point : test_support::points_around_variants(of))
    if (point->minimum_compute_capability <= here) {
      const suite_case* c = test_support::case_of_point(cases, of, *point);
      ASSERT_NE(c, nullptr) << point->name;
      points[c].push_back(point);
    }
  for (const auto& [c, around] : points) {
    variant_run run(of, c->axes, inputs);
    for (const variant_facts* point : around) {
      const check_result result = run.check(*point);
      EXPECT_TRUE(result.ok) << case_id(of.name, point->name, c->axes, "") << ": " << result.message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachOperation, PointsOnGpu, ::testing::ValuesIn(operations_with_points()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace ablate::points_test
