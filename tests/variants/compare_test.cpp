// Comparing is the operation's: what is launched before a check is no kernel that a variant computes with.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
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

namespace ablate::variants_test {
namespace {

using launch_closure = std::function<void(launcher&)>;

std::set<const void*> kernels_of(const launch_closure& launch) {
  launcher to = launcher::describing(find_chip("h200")->limits());
  if (launch) launch(to);
  std::set<const void*> kernels;
  for (const kernel_launch& launched : to.described())
    if (launched.function != nullptr) kernels.insert(launched.function);
  return kernels;
}

/// Why a variant's own kernels run before a check, or nothing.
std::string reason_to_run_again(const suite_case& c) {
  const std::string& name = c.operation->name;
  if (name == "hash_insert") return "no other code searches a table of the variant's layout";
  if (name == "kernel_map" && c.axes.word("region") == "build")
    return "a build is checked by a map made from it";
  if (name == "ceilings") return "the same stores, to sampled places";
  if (name == "backbone" || name == "block") return "each step is compared before another takes its place";
  return "";
}

TEST(Comparisons, LaunchNoKernelOfTheVariant) {
  if (all_kernel_resources().empty()) ABLATE_LACKS("cuda", "this build holds no kernels");
  const suite from = read_suite(test_support::source_path("tests/sanitizers/suite.json"));
  const input_library inputs{from.seed, from.point_files, {}};
  int compared = 0;
  for (const suite_case& c : expand(from, {false, 90}, inputs)) {
    if (c.not_applicable || test_support::is_made_up(*c.operation)) continue;
    const std::vector<buffer> buffers = c.operation->buffers(c.axes, inputs);
    const std::vector<void*> none(buffers.size(), nullptr);
    const auto region = kernels_of(c.operation->bind(*c.variant, c.axes, inputs, none)),
               check = kernels_of(c.operation->bind_readback(*c.variant, c.axes, inputs, none));
    const bool has_findings = std::ranges::any_of(
        buffers, [](const buffer& b) { return b.role == buffer_role::finding && b.bytes > 0; });
    EXPECT_TRUE(!has_findings || !check.empty()) << c.id << ": findings, and nothing that finds them";
    if (!reason_to_run_again(c).empty()) continue;
    // Some kernels both may use, as those that clear words: all of the region's means that it ran again.
    EXPECT_FALSE(!region.empty() && std::ranges::includes(check, region)) << c.id << ": computed again";
    compared += !check.empty();
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace ablate::variants_test
