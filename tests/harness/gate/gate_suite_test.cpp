#include <gtest/gtest.h>

#include <set>

#include "harness/gate/counter_gate.h"
#include "harness/suite/suite.h"
#include "reports/gate/policy.h"
#include "tests/support/paths.h"

namespace ablate::gate_suite_test {
namespace {

const std::filesystem::path gates = test_support::source_path("suites/gates");

TEST(GateSuite, HasTwentyCasesOfFourOperationsAndSomeSmallOnesByGraphBatches) {
  const suite kernels = read_suite(gates / "kernels.json");
  const input_library inputs(kernels.seed, kernels.point_files, {});
  std::set<std::string> operations;
  std::size_t cases = 0, hot = 0, controls = 0;
  const auto wanted = gate::read_policy(gates / "default.json").whole_run.controls;
  for (const suite_case& c : expand(kernels, {.compute_capability = 90}, inputs)) {
    EXPECT_FALSE(c.not_applicable) << c.id << ": " << *c.not_applicable;
    controls += std::count(wanted.begin(), wanted.end(), c.ceiling);
    if (!c.ceiling.empty()) continue;
    ++cases;
    hot += c.state == cache_state::hot;
    operations.insert(c.operation->name);
  }
  EXPECT_GE(cases, 20u);
  EXPECT_GE(hot, 5u);
  EXPECT_GE(operations.size(), 4u);
  EXPECT_EQ(controls, wanted.size());
}

TEST(GateSuite, OneGroupHasTheCountersOfTheShippedPolicy) {
  EXPECT_EQ(gate::counter_groups_of(gate::read_policy(gates / "default.json")), "core");
}

}  // namespace
}  // namespace ablate::gate_suite_test
