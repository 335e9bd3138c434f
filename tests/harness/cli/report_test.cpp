#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/reports/made_record.h"
#include "tests/support/capability.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace ablate::report_command_test {
namespace {

using test_support::program_result;
using ::testing::HasSubstr;
using ::testing::Not;

class ReportCommand : public ::testing::Test {
 protected:
  ReportCommand()
      : made(test_support::slurp(test_support::source_path("tests/reports/data/small_record.json"))) {}

  std::string folder() const { return files.path().string(); }

  test_support::temporary_directory files;
  const std::string made;
};

TEST_F(ReportCommand, FiguresWithoutANameAreListed) {
  const auto record = files.write("record.json", made).string();
  const program_result unnamed = test_support::run_ablate({"report", record, "--figures"});
  EXPECT_EQ(unnamed.exit_code, 0) << unnamed.error;
  EXPECT_THAT(unnamed.out, HasSubstr("scatter-speedup-cold-clean"));
  EXPECT_EQ(unnamed.out, test_support::run_ablate({"report", record, "--figures", "list"}).out);
}

TEST_F(ReportCommand, AFolderHasFurtherLaunchesBesideItsRecord) {
  files.write("record.json", made);
  const auto summary = [&] {
    const program_result result = test_support::run_ablate({"report", folder(), "--out", folder() + "/out"},
                                                           {"ABLATE_REPORTS_DIR=" + folder() + "/nowhere"});
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return test_support::slurp(files.path() / "out" / "summary.md");
  };
  EXPECT_THAT(summary(), Not(HasSubstr("Between launches")));
  auto other = nlohmann::ordered_json::parse(made);
  other["context"]["ablate"]["device"]["uuid"] = "GPU-other";
  files.write("record-2.json", other.dump());
  files.write("recorded.json", "{}");
  EXPECT_THAT(summary(), HasSubstr("of 2 launches of this suite and build, on 2 GPUs of the model,"));
}

TEST(CommittedReport, DrawsVariantsByTheirFormerNames) {
  if (const auto why = reports::why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const test_support::temporary_directory out;
  const program_result drawn =
      test_support::run_ablate({"report", test_support::source_path("results/h200/bucket_attention_backward"),
                                "--figures", "window_attention_backward-roofline-cold-clean", "--variants",
                                "hopper_split,mma_two_pass", "--out", (out.path() / "figures").string()});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.error;
}

}  // namespace
}  // namespace ablate::report_command_test
