#include "harness/registry/outside_code.h"

#include <gtest/gtest.h>

#include "harness/registry/define_kernel.h"
#include "harness/registry/registry.h"
#include "harness/runner/case_key.h"
#include "tests/support/temporary_directory.h"

namespace ablate::outside_code_test {
namespace {

void fill_out(const spans& a) {
  for (float& one : a.out<float>("out")) one = 1;
}
void launch_nothing(launcher&, const spans&, const switches&) {}

const bool defined =
    define_kernel({.name = "made_outside",
                   .description = "ones",
                   .axes = {},
                   .arrays = [](const axis_values&) { return std::vector{output_of<float>("out", 4)}; },
                   .baseline = "plain",
                   .reference = fill_out,
                   .variants = {{"plain", launch_nothing, {}, "plain"}}});

TEST(OutsideCode, IsAPartOfACasesKey) {
  const test_support::temporary_directory files;
  const suite from = read_suite(files.write(
      "suite.json", R"({"name": "s", "description": "d", "cases": [{"operation": "made_outside"}]})"));
  const std::vector<suite_case> cases = expand(from, {.host = true}, input_library(1, {}, {}), "");
  ASSERT_FALSE(cases.empty());
  const case_keys keys(from, {});
  const std::string built_in = keys.of(cases.front(), "", 1);
  EXPECT_EQ(find_outside_code("made_outside"), nullptr);
  register_outside_code("made_outside", {"file.json", "0123456789abcdef"});
  const std::string first = keys.of(cases.front(), "", 1);
  register_outside_code("made_outside", {"file.json", "0123456789abcdee"});
  EXPECT_NE(first, built_in);
  EXPECT_NE(keys.of(cases.front(), "", 1), first);
  EXPECT_EQ(find_outside_code("made_outside")->file, "file.json");
}

}  // namespace
}  // namespace ablate::outside_code_test
