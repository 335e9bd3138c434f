#include "base/record/ladder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/json_place.h"
#include "tests/support/refusal.h"

namespace ablate::ladder_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ordered_json made() {
  return {{"title", "From one to another"},
          {"operation", "sum"},
          {"figures", {"launches"}},
          {"steps",
           {{{"label", "plain"}, {"variant", "plain"}, {"axes", {{"items", 8}, {"layout", "rows"}}}},
            {{"label", "columns"}, {"axes", {{"layout", "columns"}}}},
            {{"label", "staged"},
             {"variant", "staged"},
             {"control", {{"label", "in rows"}, {"axes", {{"layout", "rows"}, {"items", 16}}}}}}}}};
}

suite_ladder read(const ordered_json& from) { return ladder_of(reports::json_place(from, "s.json")); }

std::string refusal(const ordered_json& from) {
  return test_support::refusal_from([&] { read(from); });
}

TEST(Ladder, SelectsACaseAStepByOneChangeEach) {
  const suite_ladder ladder = read(made());
  const std::vector<ladder_cases> cases = cases_of(ladder);
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].step, (ladder_case{"plain", {{"items", "8"}, {"layout", "rows"}}}));
  EXPECT_EQ(cases[1].step, (ladder_case{"plain", {{"items", "8"}, {"layout", "columns"}}}));
  EXPECT_EQ(cases[2].step, (ladder_case{"staged", {{"items", "8"}, {"layout", "columns"}}}));
  EXPECT_FALSE(cases[1].control);
  EXPECT_EQ(cases[2].control, (ladder_case{"staged", {{"items", "16"}, {"layout", "rows"}}}))
      << "a control differs from its step, in as much as it says";
  EXPECT_THAT(changed_axes(ladder), ElementsAre("layout", "items"));
  EXPECT_EQ(ladder.cache_state, "cold-clean");
}

TEST(Ladder, IsReadAsItIsWritten) {
  const ordered_json written = ladder_json(read(made()));
  EXPECT_EQ(ladder_json(read(written)), written);
  EXPECT_EQ(written["steps"][2]["control"]["axes"]["items"], "16");
}

TEST(Ladder, RefusesAStepThatIsNotOneChange) {
  ordered_json both = made(), none = made(), same = made(), same_variant = made(), list = made();
  both["steps"][1]["variant"] = "staged";
  EXPECT_THAT(refusal(both), HasSubstr("/steps/1: expected one change from the step before, a variant or the "
                                       "value of an axis; found 2"));
  none["steps"][1].erase("axes");
  EXPECT_THAT(refusal(none), HasSubstr("/steps/1: expected one change"));
  same["steps"][1]["axes"]["layout"] = "rows";
  EXPECT_THAT(refusal(same), HasSubstr("/steps/1/axes/layout: expected another value of 'layout' than "
                                       "'rows', which it is already"));
  same_variant["steps"][2]["variant"] = "plain";
  EXPECT_THAT(refusal(same_variant), HasSubstr("/steps/2/variant: expected another variant than 'plain'"));
  list["steps"][1]["axes"]["layout"] = {"rows", "columns"};
  EXPECT_THAT(refusal(list), HasSubstr("/steps/1/axes/layout: expected one number or word: a step selects "
                                       "one case"));
}

TEST(Ladder, RefusesWhatDoesNotSayWhereItBegins) {
  ordered_json unknown = made(), nameless = made(), lone = made(), twice = made(), idle = made();
  unknown["steps"][0]["axes"].erase("layout");
  EXPECT_THAT(refusal(unknown), HasSubstr("/steps/1/axes/layout: expected the first step to say which "
                                          "'layout' the ladder begins with"));
  nameless["steps"][0].erase("variant");
  EXPECT_THAT(refusal(nameless), HasSubstr("/steps/0: expected the variant with which the ladder begins"));
  lone["steps"] = {made()["steps"][0]};
  EXPECT_THAT(refusal(lone), HasSubstr("/steps: expected at least two steps, found one"));
  twice["steps"][1]["label"] = "plain";
  EXPECT_THAT(refusal(twice), HasSubstr("/steps/1/label: expected a label of its own, found 'plain' again"));
  idle["steps"][2]["control"].erase("axes");
  EXPECT_THAT(refusal(idle), HasSubstr("/steps/2/control: expected what the control has otherwise"));
}

}  // namespace
}  // namespace ablate::ladder_test
