#include "base/record/old_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace ablate::old_names_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Sections by name, those that are not given empty.
std::string table_of(const std::map<std::string, std::string>& sections) {
  std::string out;
  for (const char* section :
       {"operations", "variants", "axes", "values", "switches", "dropped", "order", "baselines", "gone"}) {
    const auto given = sections.find(section);
    out += std::string(out.empty() ? "{" : ", ") + '"' + section + "\": {" +
           (given == sections.end() ? "" : given->second) + "}";
  }
  return out + "}";
}

old_names made(const std::map<std::string, std::string>& sections) { return {table_of(sections), "names"}; }

std::string refusal(const std::map<std::string, std::string>& sections) {
  return test_support::refusal_from([&] { made(sections); });
}

/// An operation that was divided by `way`, and more.
const old_names& divided() {
  static const old_names all =
      made({{"operations", R"("scan/way=back": "fold", "walk": "stroll", "stroll": "scan")"},
            {"variants", R"("fold/fold_fast": "fast", "fold/quick": "fold_fast",
                                                     "scan/plain/way=up": "steep")"},
            {"axes", R"("scan/size": "items")"},
            {"values", R"("scan/items=all": "0")"},
            {"dropped", R"("fold": ["way=back", "pad"], "scan": ["way=up"])"},
            {"order", R"("fold": ["items", "kind"])"}});
  return all;
}

TEST(OldNames, AnOperationIsDividedByTheValueOfAnAxis) {
  EXPECT_EQ(
      divided().todays({"scan", "fold_fast", {{"way", "back"}, {"pad", "4"}, {"kind", "a"}, {"items", "8"}}}),
      (case_names{"fold", "fast", {{"items", "8"}, {"kind", "a"}}}));
  EXPECT_EQ(divided().todays({"scan", "fast", {{"way", "up"}, {"pad", "4"}}}),
            (case_names{"scan", "fast", {{"pad", "4"}}}));
}

TEST(OldNames, AValueThatNoRuleKnowsStays) {
  const case_names unknown = {"scan", "fast", {{"way", "sideways"}}};
  EXPECT_EQ(divided().todays(unknown), unknown);
}

TEST(OldNames, ChainsEndAtTodaysName) {
  EXPECT_EQ(divided().todays_operation("walk"), "scan");
  EXPECT_EQ(divided().todays({"walk", "quick", {{"way", "back"}}}).variant, "fast");
  EXPECT_EQ(divided().todays({"scan", "plain", {{"size", "all"}}}).axes, (named_words{{"items", "0"}}));
}

TEST(OldNames, AVariantsRuleMayHoldAtOneValueOfAnAxis) {
  EXPECT_EQ(divided().todays({"scan", "plain", {{"way", "up"}}}).variant, "steep");
  EXPECT_EQ(divided().todays({"scan", "plain", {}}).variant, "plain");
}

TEST(OldNames, IdsAreMadeAnew) {
  EXPECT_EQ(divided().todays_id("scan/fold_fast/kind=a/way=back/items=8/@hot"),
            "fold/fast/items=8/kind=a/@hot");
  EXPECT_EQ(divided().todays_id("fold/fast/kind=a/@hot"), "fold/fast/kind=a/@hot") << "today's";
  EXPECT_EQ(divided().todays_id("no id"), "no id");
}

TEST(OldNames, ACaseOfTodayKnowsWhatItWasCalled) {
  const named_words former = divided().former_words({"fold", "fast", {}});
  EXPECT_THAT(former, Contains(std::pair<std::string, std::string>("operation", "scan")));
  EXPECT_THAT(former, Contains(std::pair<std::string, std::string>("operation", "walk")));
  EXPECT_THAT(former, Contains(std::pair<std::string, std::string>("way", "back")));
  EXPECT_THAT(former, Contains(std::pair<std::string, std::string>("variant", "quick")));
  EXPECT_THAT(former, Contains(std::pair<std::string, std::string>("pad", ""))) << "any value";
  EXPECT_THAT(divided().former_words({"other", "fast", {{"items", "8"}}}), IsEmpty());
}

TEST(OldNames, WhatIsNoRuleIsRefused) {
  EXPECT_THAT(test_support::refusal_from([] { old_names(R"({"operatons": {}})", "names"); }),
              HasSubstr("names: /operatons: no key 'operatons'"));
  EXPECT_THAT(refusal({{"operations", R"("scan": "scan")"}}), HasSubstr("'scan': expected another name"));
  EXPECT_THAT(refusal({{"variants", R"("scan/a": "a")"}}), HasSubstr("'scan/a': expected another name"));
  EXPECT_THAT(refusal({{"variants", R"("scan": "a")"}}), HasSubstr("expected a key OPERATION/VARIANT"));
  EXPECT_THAT(refusal({{"values", R"("scan/items": "a")"}}),
              HasSubstr("expected a key OPERATION/AXIS=VALUE"));
  EXPECT_THAT(refusal({{"axes", R"("scan/items=1": "a")"}}), HasSubstr("expected a key OPERATION/AXIS"));
  EXPECT_THAT(refusal({{"variants", R"("scan/a": "")"}}), HasSubstr("expected a name"));
  EXPECT_THAT(refusal({{"variants", R"("scan/a": "b", "scan/a": "c")"}}), HasSubstr("once in its object"));
}

TEST(OldNames, CirclesAreRefused) {
  EXPECT_THAT(refusal({{"operations", R"("a": "b", "b": "c", "c": "a")"}}), HasSubstr("found a circle"));
  EXPECT_THAT(refusal({{"variants", R"("a/x": "y", "a/y": "x")"}}), HasSubstr("found a circle"));
  EXPECT_THAT(refusal({{"axes", R"("a/x": "y", "a/y": "x")"}}), HasSubstr("found a circle"));
  EXPECT_THAT(refusal({{"values", R"("a/x=1": "2", "a/x=2": "1")"}}), HasSubstr("found a circle"));
}

TEST(OldNames, RulesThatNeverApplyAreRefused) {
  const std::string renamed = R"("walk": "scan")";
  for (const auto& [section, rule] : std::map<std::string, std::string>{{"variants", R"("walk/a": "b")"},
                                                                        {"axes", R"("walk/a": "b")"},
                                                                        {"values", R"("walk/a=1": "b")"},
                                                                        {"switches", R"("walk/a": "b")"},
                                                                        {"dropped", R"("walk": ["a"])"},
                                                                        {"order", R"("walk": ["a"])"},
                                                                        {"baselines", R"("walk": "a")"},
                                                                        {"gone", R"("walk/a": "why")"}})
    EXPECT_THAT(refusal({{"operations", renamed}, {section, rule}}),
                HasSubstr("expected the operation by its name of today, 'scan'"))
        << section;
  EXPECT_THAT(refusal({{"axes", R"("scan/size": "items")"}, {"dropped", R"("scan": ["size"])"}}),
              HasSubstr("expected the axis by its name of today, 'items'"));
  EXPECT_THAT(refusal({{"variants", R"("scan/a": "b")"}, {"baselines", R"("scan": "a")"}}),
              HasSubstr("expected the variant by its name of today, 'b'"));
}

TEST(OldNames, ThePrograms) {
  EXPECT_EQ(
      old_names::known().todays_id("gated_attention/hopper_dense/images=32/heads=16/method=dense/block=16/"
                                   "selected=32/lists=chosen/rows=all/scores=scene/@cold-clean"),
      "dense_attention/hopper/images=32/heads=16/rows=all/scores=scene/@cold-clean");
  EXPECT_EQ(old_names::known().todays_id("gated_attention/hopper/images=32/heads=16/method=sparse/block=16/"
                                         "selected=32/lists=chosen/rows=all/scores=scene/@hot"),
            "gated_attention/hopper/images=32/heads=16/block=16/selected=32/lists=chosen/scores=scene/@hot");
  EXPECT_EQ(old_names::known().todays_operation("gated_attention"), "gated_attention");
}

}  // namespace
}  // namespace ablate::old_names_test
