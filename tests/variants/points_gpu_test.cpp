// The points around variants: every value that a launch function takes beside the variant's own is right, on
// the inputs of tests/sanitizers/suite.json.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/registry/case_id.h"
#include "harness/suite/suite.h"
#include "tests/support/every_variant.cuh"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"

namespace ablate::points_test {
namespace {

using test_support::variant_run;

/// Each value by itself, and all switches at their last ones.
std::vector<const variant_facts*> points_around(const operation& of, const variant_facts& v) {
  std::vector<const variant_facts*> out;
  switch_values last;
  for (const switch_range& range : v.takes) {
    for (const std::string& value : range.values) out.push_back(of.point(v, {{range.name, value}}));
    std::erase_if(last, [&](const auto& change) { return change.first == range.name; });
    last.emplace_back(range.name, range.values.back());
  }
  out.push_back(of.point(v, last));
  std::erase_if(out, [&](const variant_facts* point) { return read_point(point->name).changes.empty(); });
  return out;
}

class PointsOnGpu : public test_support::gpu_test {};

TEST_F(PointsOnGpu, AreRight) {
  const suite from = read_suite(test_support::source_path("tests/sanitizers/suite.json"));
  const input_library inputs(from.seed, from.point_files, {});
  std::map<std::string, std::vector<const variant_facts*>>
      points;  // by the case of the variant that each is around
  std::map<std::string, suite_case> cases;
  std::set<const variant_facts*> seen;
  for (const suite_case& c : expand(from, {false, test_support::compute_capability_in_use()}, inputs)) {
    if (c.not_applicable || test_support::is_made_up(*c.operation) || !seen.insert(c.variant).second)
      continue;
    if (c.variant->takes.empty()) continue;
    const std::string id = case_id(c.operation->name, "", c.axes, "");
    for (const variant_facts* point : points_around(*c.operation, *c.variant)) points[id].push_back(point);
    cases.emplace(id, c);
  }
  std::size_t checked = 0;
  for (const auto& [id, around] : points) {
    const suite_case& c = cases.at(id);
    variant_run run(*c.operation, c.axes, inputs);
    for (const variant_facts* point : around) {
      if (!run.applies(*point)) continue;
      const check_result result = run.check(*point);
      EXPECT_TRUE(result.ok) << id << ": " << point->name << ": " << result.message;
      ++checked;
    }
  }
  EXPECT_GT(checked, 20u);
}

}  // namespace
}  // namespace ablate::points_test
