#include "base/record/old_selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/record/case_name.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::old_selection_test {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What Python's selections are held to as well.
const ordered_json& shared_examples() {
  static const ordered_json all =
      ordered_json::parse(reports::text_of(reports::made_data() / "old_selections.json"));
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

TEST(OldSelection, SharedExamplesSelectTheirCases) {
  const std::vector<case_words> cases = example_cases();
  for (const ordered_json& example : shared_examples()["selections"]) {
    const auto words = example["words"].get<std::vector<std::string>>();
    std::vector<std::size_t> selected;
    const std::string refused = test_support::refusal_from([&] {
      const selection chosen(words, cases, "here");
      for (std::size_t i = 0; i < cases.size(); ++i)
        if (chosen.selects(cases[i])) selected.push_back(i);
    });
    if (example.contains("says"))
      EXPECT_THAT(refused, HasSubstr(example["says"].get<std::string>())) << example;
    else
      EXPECT_EQ(selected, example["selects"].get<std::vector<std::size_t>>()) << example << refused;
  }
}

TEST(OldSelection, TheyAreToldOnStderr) {
  testing::internal::CaptureStderr();
  const selection chosen({"variant=hopper_dense", "images=32"}, example_cases(), "here");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ablate: variant=hopper_dense images=32: of an earlier version; today: dense_attention/hopper\n");
}

TEST(OldSelection, TermsOfTodayStay) {
  const std::vector<case_words> cases = example_cases();
  EXPECT_THAT(todays_terms({"operation=gated_attention", "images=48"}, cases),
              ElementsAre("operation=gated_attention", "images=48"));
  EXPECT_THAT(todays_terms({"images=48", "operation=gated_attention", "method=dense"}, cases),
              ElementsAre("images=48", "operation=dense_attention"));
  EXPECT_THAT(todays_terms({"variant=hopper_dense", "rows=all"}, cases),
              ElementsAre("operation=dense_attention", "variant=hopper", "rows=all"));
  EXPECT_THAT(todays_terms({"variant=nothing"}, cases), ElementsAre("variant=nothing"));
}

}  // namespace
}  // namespace ablate::old_selection_test
