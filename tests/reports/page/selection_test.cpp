#include <gtest/gtest.h>

#include "base/process/child_process.h"
#include "base/process/find_program.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"

namespace ablate::reports::page_selection_test {
namespace {

using test_support::source_path;

TEST(PageSelection, SharedExamplesSelectTheirCases) {
  const auto node = process::find_program("node");
  if (!node) ABLATE_LACKS("node", "node is not installed");
  const process::result result =
      process::run({node->string(), source_path("tests/reports/page/selections.mjs"),
                    source_path("reports/page/html"), source_path("tests/reports/data/selections.json")});
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace
}  // namespace ablate::reports::page_selection_test
