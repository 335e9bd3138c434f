#include "base/record/bundles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/record/case_name.h"
#include "harness/registry/case_id.h"
#include "harness/registry/registry.h"

namespace ablate::bundles_test {
namespace {

using ::testing::ElementsAre;

bundle_member of(const std::string& operation, named_words axes) { return {operation, std::move(axes)}; }

TEST(Bundles, AreCasesOfOneOperationAndAxes) {
  EXPECT_THAT(
      bundles_of({of("a", {{"n", "1"}}), of("a", {{"n", "2"}}), of("a", {{"n", "1"}}), of("b", {{"n", "1"}})},
                 {}),
      ElementsAre(0, 1, 0, 2));
}

TEST(Bundles, JoinWhatAComparisonCrosses) {
  const std::vector<bundle_member> cases = {of("a", {{"n", "1"}, {"order", "x"}}),
                                            of("a", {{"n", "1"}, {"order", "y"}}),
                                            of("a", {{"n", "2"}, {"order", "y"}})};
  EXPECT_THAT(bundles_of(cases, {}), ElementsAre(0, 1, 2));
  EXPECT_THAT(bundles_of(cases, {{{"a"}, {"order"}}}), ElementsAre(0, 0, 1));
}

TEST(Bundles, JoinOperationsThatAgreeInTheirCommonAxes) {
  const std::vector<bundle_member> cases = {of("a", {{"n", "1"}, {"mode", "x"}}),
                                            of("b", {{"heads", "8"}, {"n", "1"}}),
                                            of("b", {{"heads", "8"}, {"n", "2"}}), of("c", {{"n", "1"}})};
  EXPECT_THAT(bundles_of(cases, {{{"a", "b"}, {}}}), ElementsAre(0, 0, 1, 2));
}

TEST(Bundles, LeaveEachCalibrationToItself) {
  bundle_member first = of("ceilings", {{"resource", "launch"}});
  first.is_calibration = true;
  EXPECT_THAT(bundles_of({first, first}, {{{"ceilings"}, {}}}), ElementsAre(0, 1));
}

TEST(Bundles, JoinTheFamiliesOfAQuestion) {
  suite_report said;
  suite_question& asked = said.question.emplace();
  asked.families = {{"one", {}, {}, {}, {{"layout", {"rows"}}}},
                    {"other", {}, {}, {}, {{"layout", {"columns"}}}}};
  asked.workloads = {{{"a"}, "n", {}, {}, {}}};
  const auto joins = joins_of(said);
  ASSERT_EQ(joins.size(), 1u);
  EXPECT_THAT(joins[0].across, ElementsAre("layout"));
  asked.families = {{"one", {}, {"plain"}, {}, {}}, {"other", {}, {"staged"}, {}, {}}};
  EXPECT_TRUE(joins_of(said).empty()) << "variants are of one bundle anyway";
}

TEST(Bundles, JoinTheStepsOfALadder) {
  suite_report said;
  suite_ladder& ladder = said.question.emplace().ladder.emplace();
  ladder.operation = "a";
  ladder.steps = {{"plain", {"plain", {{"layout", "rows"}}}, std::nullopt},
                  {"columns", {"", {{"layout", "columns"}}}, std::nullopt}};
  const auto joins = joins_of(said);
  ASSERT_EQ(joins.size(), 1u);
  EXPECT_THAT(joins[0].operations, ElementsAre("a"));
  EXPECT_THAT(joins[0].across, ElementsAre("layout"));
  ladder.steps[1].change = {"staged", {}};
  EXPECT_TRUE(joins_of(said).empty());
}

TEST(CaseName, IsTheIdOfTheCase) {
  for (const auto& op : operations()) {
    axis_values axes;
    for (const axis& a : op->axes) axes.set(a.name, a.default_value);
    const std::string id = case_id(op->name, op->variants.front().name, axes, "cold-clean");
    const case_name_parts parts = parts_of_case_name(id);
    EXPECT_EQ(parts.operation, op->name);
    EXPECT_EQ(parts.variant, op->variants.front().name);
    EXPECT_EQ(parts.cache_state, "cold-clean");
    EXPECT_EQ(parts.axes, named_words(axes.begin(), axes.end()));
    EXPECT_EQ(case_name(parts), id);
  }
}

}  // namespace
}  // namespace ablate::bundles_test
