#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/suite/suite.h"
#include "tests/harness/cli/checked_suite.h"
#include "tests/support/made_operations.h"
#include "tests/support/refusal.h"

namespace ablate::suite_ladder_test {
namespace {

using test_support::checked_suite_in;
using test_support::refusal_from;
using test_support::report_in;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

/// A suite of made_sum with a ladder of these steps.
std::string climbing(const std::string& steps, const std::string& more = "") {
  return R"({"name": "s", "description": "d", "point_files": {"street": {"path": "street.bin"}},
             "cases": [{"operation": "made_sum", "variants": ["plain", "staged"],
                        "axes": {"points": [5, 10], "shape": ["flat", "street"]},
                        "exclude": [{"variant": "staged", "points": 10}]}],
             "report": {"question": {"text": "t", "families": [{"name": "a", "variants": "plain"}, {"name": "b", "variants": "staged"}],
                 "workloads": {"operations": "made_sum", "along": "points"}, "ladder": {"title": "t", "operation": "made_sum", )" +
         more + R"("steps": )" + steps + "}}}}";
}

const std::string begins =
    R"({"label": "a", "variant": "plain", "axes": {"points": "005", "shape": "flat"}})";

std::string two_steps(const std::string& second) { return "[" + begins + ", " + second + "]"; }

std::string refusal(const std::string& text) {
  return refusal_from([&] { checked_suite_in(text); });
}

TEST(SuiteLadder, SpellsValuesAsRecordsDoAndNamesEveryAxis) {
  const auto ladder =
      report_in(climbing(two_steps(R"({"label": "b", "axes": {"shape": "street"}})"))).question->ladder;
  ASSERT_TRUE(ladder);
  const auto& first = ladder->steps[0].change.axes;
  EXPECT_EQ(first.size(), 3u);
  EXPECT_THAT(first, Contains(Pair("points", "5")));
  EXPECT_THAT(first, Contains(Pair("mode", "int"))) << "the default";
  EXPECT_EQ(cases_of(*ladder)[1].step.axes[1].second, "street");
}

TEST(SuiteLadder, RefusesWordsThatAreNotThisBuilds) {
  EXPECT_THAT(
      refusal(climbing(two_steps(R"({"label": "b", "variant": "stage"})"))),
      HasSubstr(
          "/report/question/ladder/steps/1/variant: no variant of 'made_sum' 'stage' (did you mean 'staged'?)"));
  EXPECT_THAT(
      refusal(climbing(two_steps(R"({"label": "b", "axes": {"point": 10}})"))),
      HasSubstr(
          "/report/question/ladder/steps/1/axes/point: no axis of 'made_sum' 'point' (did you mean 'points'?)"));
  EXPECT_THAT(refusal(climbing(two_steps(R"({"label": "b", "axes": {"shape": "streets"}})"))),
              HasSubstr("/report/question/ladder/steps/1/axes/shape"));
  EXPECT_THAT(refusal(climbing(two_steps(R"({"label": "b", "variant": "staged"})"), R"("cache": "warm", )")),
              HasSubstr("/report/question/ladder/cache: no cache state 'warm'"));
}

TEST(SuiteLadder, RefusesACaseThatTheSuiteDoesNotRun) {
  EXPECT_THAT(
      refusal(climbing(two_steps(R"({"label": "b", "axes": {"points": 11}})"))),
      HasSubstr(
          "/report/question/ladder/steps/1: expected a case that the suite runs, found 'made_sum/plain/"));
  EXPECT_THAT(refusal(climbing(two_steps(R"({"label": "b", "variant": "hopper"})"))),
              HasSubstr("/report/question/ladder/steps/1: expected a case that the suite runs"));
  EXPECT_THAT(refusal(climbing(two_steps(R"({"label": "b", "variant": "staged"})"), R"("cache": "hot", )")),
              HasSubstr("/report/question/ladder/steps/0: expected a case that the suite runs"));
  EXPECT_THAT(
      refusal(climbing(two_steps(
          R"({"label": "b", "variant": "staged", "control": {"label": "c", "axes": {"points": 10}}})"))),
      HasSubstr("/report/question/ladder/steps/1/control: expected a case that the suite runs"))
      << "it is excluded";
}

}  // namespace
}  // namespace ablate::suite_ladder_test
