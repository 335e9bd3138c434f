// tests/sanitizers/suite.json: what scripts/sanitize.sh watches.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/device/chip.h"
#include "harness/device/kernel_facts.h"
#include "harness/registry/registry.h"
#include "harness/suite/suite.h"
#include "kernels/common/kernel_launch.h"
#include "tests/support/capability.h"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"
#include "tests/support/points_of_suite.h"

namespace ablate::sanitizers_suite_test {
namespace {

using test_support::is_made_up;

const std::filesystem::path path = test_support::source_path("tests/sanitizers/suite.json");

struct planned_cases {
  suite from = read_suite(path);
  input_library inputs{from.seed, from.point_files, {}};
  std::vector<suite_case> cases;

  explicit planned_cases(int compute_capability) {
    for (suite_case& c : expand(from, {false, compute_capability}, inputs))
      if (!c.not_applicable && !is_made_up(*c.operation)) cases.push_back(std::move(c));
  }
};

TEST(SanitizersSuite, HasACaseOfEveryVariantThatAChipRuns) {
  for (const int compute_capability : {80, 90}) {
    std::set<std::string> has;
    for (const suite_case& c : planned_cases(compute_capability).cases)
      has.insert(c.operation->name + "/" + c.variant->name);
    for (const auto& of : operations())
      for (const variant_facts& v : of->variants) {
        if (is_made_up(*of) || v.minimum_compute_capability > compute_capability) continue;
        EXPECT_TRUE(has.contains(of->name + "/" + v.name))
            << of->name << "/" << v.name << " has no case at compute capability " << compute_capability;
      }
  }
}

/// Else no GPU's test checks the point (tests/variants/points_gpu_test.cpp).
TEST(SanitizersSuite, HasACaseAtWhichEachPointRuns) {
  for (const int compute_capability : {80, 90}) {
    const planned_cases planned(compute_capability);
    for (const auto& of : operations()) {
      if (is_made_up(*of)) continue;
      for (const variant_facts* point : test_support::points_around_variants(*of)) {
        const bool runs = point->minimum_compute_capability <= compute_capability;
        EXPECT_TRUE(!runs || test_support::case_of_point(planned.cases, *of, *point))
            << of->name << '/' << point->name << " at compute capability " << compute_capability;
      }
    }
  }
}

/// Names of the kernels that a case launches as a sanitizer sees it, of the program's own.
std::set<std::string> kernels_of(const suite_case& c, const input_library& inputs) {
  launcher to = launcher::describing(find_chip("h200")->limits());
  const std::size_t buffers = c.operation->buffers(c.axes, inputs).size();
  const std::vector<void*> none(buffers, nullptr);
  // Instrumented forms are chosen by an address; nothing is written there.
  std::vector<std::byte> somewhere(1);
  const std::vector<void*> instrumented(buffers, somewhere.data());
  for (const auto& launch : {c.operation->bind_fill(c.variant, c.axes, inputs, none),
                             c.operation->bind_ahead(*c.variant, c.axes, inputs, none),
                             c.operation->bind(*c.variant, c.axes, inputs, none),
                             c.operation->bind(*c.variant, c.axes, inputs, instrumented),
                             c.operation->bind_readback(*c.variant, c.axes, inputs, none)})
    if (launch) launch(to);
  std::set<std::string> names;
  for (const kernel_launch& launched : to.described())
    names.insert(describe(launched).at("name").get<std::string>());
  return names;
}

TEST(SanitizersSuite, LaunchesEveryKernelOfTheProgram) {
  if (all_kernel_resources().empty()) ABLATE_LACKS("cuda", "this build holds no machine code of kernels");
  const planned_cases planned(90);
  std::set<std::string> launched;
  for (const suite_case& c : planned.cases) launched.merge(kernels_of(c, planned.inputs));
  for (const kernel_resources& kernel : all_kernel_resources()) {
    const std::string name = demangled(std::string(kernel.kernel));
    if (!name.starts_with("ablate::") && !name.starts_with("void ablate::")) continue;
    EXPECT_TRUE(launched.contains(name)) << name << " is in no case of " << path;
  }
}

}  // namespace
}  // namespace ablate::sanitizers_suite_test
