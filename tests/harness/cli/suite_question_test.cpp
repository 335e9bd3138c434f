#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/suite/suite.h"
#include "tests/harness/cli/checked_suite.h"
#include "tests/support/made_operations.h"
#include "tests/support/refusal.h"

namespace ablate::suite_question_test {
namespace {

using test_support::checked_suite_in;
using test_support::refusal_from;
using test_support::report_in;
using ::testing::HasSubstr;

/// A suite of made_sum with this question.
std::string asking(const std::string& families, const std::string& workloads) {
  return R"({"name": "s", "description": "d", "point_files": {"street": {"path": "street.bin"}},
             "cases": [{"operation": "made_sum", "variants": ["plain", "staged"], "axes": {"points": [5, 10]}}],
             "report": {"question": {"text": "Does it pay?", "families": )" +
         families + R"(, "workloads": )" + workloads + "}}}";
}

const std::string families =
    R"([{"name": "with", "switches": {"smem": "on"}}, {"name": "without", "variants": "plain"}])";
const std::string workloads = R"({"operations": "made_sum", "along": "points"})";

std::string refusal(const std::string& text) {
  return refusal_from([&] { checked_suite_in(text); });
}

TEST(SuiteQuestion, HasItsNamesCheckedAndItsValuesSpelledAsInRecords) {
  const suite_report said =
      report_in(asking(families, R"({"operations": "made_sum", "along": "points", "by": "shape",
                                     "axes": {"points": ["0010", 5], "shape": "street"}, "cache": "hot"})"));
  ASSERT_TRUE(said.question);
  EXPECT_EQ(said.question->text, "Does it pay?");
  EXPECT_EQ(said.question->workloads[0].axes[0].second, (std::vector<std::string>{"10", "5"}));
  EXPECT_EQ(said.question->workloads[0].cache_states, std::vector<std::string>{"hot"});
  EXPECT_EQ(said.question->scans, std::vector<std::string>{"street"}) << "the suite's point files";
  EXPECT_TRUE(
      report_in(R"({"name": "s", "description": "d", "cases": [{"operation": "made_sum"}]})").is_absent());
}

TEST(SuiteQuestion, RefusesNamesThatTheSuiteDoesNotRun) {
  const auto of_families = [](const std::string& first) {
    return refusal(asking("[" + first + R"(, {"name": "without", "variants": "plain"}])", workloads));
  };
  EXPECT_THAT(
      of_families(R"({"name": "x", "variants": ["stage"]})"),
      HasSubstr(
          "/report/question/families/0/variants/0: no variant that the suite runs 'stage' (did you mean "
          "'staged'?); expected one of 'plain', 'staged'"));
  EXPECT_THAT(of_families(R"({"name": "x", "variants": "hopper"})"),
              HasSubstr("no variant that the suite runs 'hopper'"));
  EXPECT_THAT(
      of_families(R"({"name": "x", "switches": {"smen": "on"}})"),
      HasSubstr(
          "/report/question/families/0/switches/smen: no switch of these variants 'smen' (did you mean 'smem'?)"));
  EXPECT_THAT(of_families(R"({"name": "x", "switches": {"smem": "off"}})"),
              HasSubstr("/report/question/families/0/switches/smem: no value of the switch 'smem' 'off'"));
  EXPECT_THAT(
      of_families(R"({"name": "x", "axes": {"mood": "int"}})"),
      HasSubstr(
          "/report/question/families/0/axes/mood: no axis of these operations 'mood' (did you mean 'mode'?)"));
  EXPECT_THAT(
      of_families(R"({"name": "x", "variants": "plain", "switches": {"smem": "on"}})"),
      HasSubstr(
          "/report/question/families/0: expected a family of which the suite runs a variant, found none"));
}

TEST(SuiteQuestion, RefusesWorkloadsThatCannotBe) {
  const auto of_workloads = [](const std::string& given) { return refusal(asking(families, given)); };
  EXPECT_THAT(
      of_workloads(R"({"operations": "made_steps", "along": "part"})"),
      HasSubstr("/report/question/workloads/operations: no operation that the suite runs 'made_steps'"));
  EXPECT_THAT(
      of_workloads(R"({"operations": "made_sum", "along": "point"})"),
      HasSubstr("/report/question/workloads/along: no axis of 'made_sum' 'point' (did you mean 'points'?)"));
  EXPECT_THAT(of_workloads(R"([{"operations": "made_sum", "along": "points", "axes": {"shape": "square"}}])"),
              HasSubstr("/report/question/workloads/0/axes/shape: 'square' is no value of axis 'shape'"));
  EXPECT_THAT(of_workloads(R"({"operations": "made_sum", "along": "points", "cache": "cold"})"),
              HasSubstr("/report/question/workloads/cache: no cache state 'cold'"));
}

}  // namespace
}  // namespace ablate::suite_question_test
