#include "base/record/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/record/case_name.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::selection_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using words = std::vector<std::string>;

/// What the page's and Python's selections are held to as well.
const ordered_json& shared_examples() {
  static const ordered_json all =
      ordered_json::parse(reports::text_of(reports::made_data() / "selections.json"));
  return all;
}

std::vector<case_words> example_cases() {
  std::vector<case_words> out;
  for (const ordered_json& c : shared_examples()["cases"]) {
    case_words made{"", c["operation"], c["variant"], c["cache"], {}};
    for (const auto& [axis, value] : c["axes"].items()) made.axes.emplace_back(axis, value);
    made.id = case_name({made.operation, made.variant, made.cache, made.axes});
    out.push_back(std::move(made));
  }
  return out;
}

std::vector<std::size_t> selected(const words& given) {
  const std::vector<case_words> cases = example_cases();
  const selection chosen(given, cases, "here");
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (chosen.selects(cases[i])) out.push_back(i);
  return out;
}

std::string refusal(const words& given) {
  return test_support::refusal_from([&] { selected(given); });
}

TEST(Selection, SharedExamplesSelectTheirCases) {
  for (const ordered_json& example : shared_examples()["selections"]) {
    const words given = example["words"];
    if (!example.contains("says")) {
      EXPECT_EQ(selected(given), example["selects"].get<std::vector<std::size_t>>()) << example;
      continue;
    }
    EXPECT_THAT(refusal(given), HasSubstr("here: ")) << example;
    EXPECT_THAT(refusal(given), HasSubstr(example["says"].get<std::string>())) << example;
  }
}

TEST(Selection, SharedTextsHaveTheirWords) {
  for (const ordered_json& example : shared_examples()["texts"])
    EXPECT_EQ(selection_words(example["text"].get<std::string>()), example["words"].get<words>()) << example;
}

TEST(Selection, SaysWhyNothingIsSelected) {
  const std::vector<case_words> cases = example_cases();
  EXPECT_EQ(selection({"layout=columns", "cache=hot"}, cases, "").why_none(cases),
            "no case has layout=columns and cache=hot; with the others, layout is rows");
  EXPECT_EQ(selection({"operation=gather", "points=13107"}, cases, "").why_none(cases),
            "no case has operation=gather and points=13107; with the others, operation is scatter");
  EXPECT_EQ(selection({"merged", "@hot"}, cases, "").why_none(cases), "no case has merged and hot");
}

TEST(Selection, ASizeMayBeAnyWhereThatIsAllowed) {
  const case_vocabulary known(example_cases());
  const auto term = [&](const char* word) { return known.term(word, "", case_vocabulary::sizes::any); };
  EXPECT_EQ(term("points=0300000").values, words{"300000"});
  EXPECT_EQ(term("points=131072,5").values, (words{"131072", "5"}));
  EXPECT_THAT(test_support::refusal_from([&] { term("points=few"); }),
              HasSubstr("expected an integer as value of axis 'points', found 'few'"));
  EXPECT_THAT(test_support::refusal_from([&] { term("layout=few"); }), HasSubstr("no value of axis"));
}

words held(const std::string& text) {
  const std::vector<case_words> cases = example_cases();
  const case_filter filter(text, cases, "--filter");
  words out;
  for (const case_words& c : cases)
    if (filter.holds(c)) out.push_back(c.id);
  return out;
}

TEST(CaseFilter, TermsAreASelectionAndAnythingElseAnExpression) {
  for (const char* text :
       {"points=13107", "points=1 variant=direct", "variants=direct/cache=hot", "a.b=c+d/"})
    EXPECT_TRUE(case_filter::is_selection(text)) << text;
  for (const char* text : {"", "direct", "points=131.*", "smem_.*distribution=lidar", "^scatter/direct/",
                           "scatter/points=1", "=1", "points=(1|2)"})
    EXPECT_FALSE(case_filter::is_selection(text)) << text;
}

TEST(CaseFilter, ATermIsEqualAndAnExpressionIsSearched) {
  EXPECT_THAT(held("points=13107"),
              ElementsAre("scatter/direct_wide/points=13107/layout=columns/@cold-clean"));
  EXPECT_EQ(held("points=13107.*").size(), 3u);
  EXPECT_EQ(held("points=131072 cache=hot").size(), 1u);
  EXPECT_EQ(held("").size(), example_cases().size());
  EXPECT_THAT(test_support::refusal_from([] { held("points=1310"); }),
              HasSubstr("--filter: no value of axis 'points' '1310'"));
  EXPECT_THAT(test_support::refusal_from([] { held("(x"); }),
              HasSubstr("--filter: '(x' is not a regular expression"));
}

}  // namespace
}  // namespace ablate::selection_test
