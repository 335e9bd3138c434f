#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/record/old_names.h"
#include "tests/reports/made_record.h"
#include "tests/support/refusal.h"

namespace ablate::old_switches_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

/// What Python's reader is held to as well.
const ordered_json& shared_examples() {
  static const ordered_json all =
      ordered_json::parse(reports::text_of(reports::made_data() / "old_switches.json"));
  return all;
}

const old_names& table() {
  static const old_names all(shared_examples()["table"].dump(), "names");
  return all;
}

named_words words_of(const ordered_json& object) {
  named_words out;
  for (const auto& [name, value] : object.items()) out.emplace_back(name, value);
  return out;
}

TEST(OldSwitches, SharedExamplesOfCasesAreNamedAsToday) {
  for (const ordered_json& example : shared_examples()["switches"]) {
    named_words today;
    const std::string refused = test_support::refusal_from([&] {
      today = table().todays_switches(example["operation"], words_of(example["has"]), "record.json", "/at");
    });
    if (example.contains("says"))
      EXPECT_THAT(refused, HasSubstr("record.json: /at: " + example["says"].get<std::string>())) << example;
    else
      EXPECT_EQ(today, words_of(example["today"])) << example << refused;
  }
}

TEST(OldSwitches, SharedExamplesOfPointsAreNamedAsToday) {
  for (const ordered_json& example : shared_examples()["variants"])
    EXPECT_EQ(table().todays_variant(example["operation"], example["was"], {}),
              example["today"].get<std::string>())
        << example;
}

TEST(OldSwitches, SharedExamplesOfPointsKnowWhatTheyWereCalled) {
  for (const ordered_json& example : shared_examples()["former"]) {
    std::vector<std::string> names;
    for (const auto& [name, value] : table().former_words({example["operation"], example["variant"], {}}))
      if (name == "variant") names.push_back(value);
    EXPECT_THAT(names, UnorderedElementsAreArray(example["names"].get<std::vector<std::string>>()))
        << example;
  }
}

TEST(OldSwitches, IdsAreMadeAnew) {
  EXPECT_EQ(table().todays_id("sum/tiled_512+launch=overlapped/points=8/@hot"),
            "sum/tiled+threads=512+pdl/points=8/@hot");
}

TEST(OldSwitches, ChoicesAreNamedAsToday) {
  using choice = old_names::switch_choice;
  EXPECT_EQ(table().todays_choice("sum", {"launch", {"overlapped", "plain"}}), choice("pdl", {"on", "off"}));
  EXPECT_EQ(table().todays_choice("sum", {"launch", {"*"}}), choice("pdl", {"*"}));
  EXPECT_EQ(table().todays_choice("sum", {"exp2", {"4_of_16", "*"}}),
            choice("exponentials", {"quarter", "*"}));
  EXPECT_EQ(table().todays_choice("block", {"layers", {"by_shape", "own"}}),
            choice("layers", {"per_layer_best", "own"}));
  EXPECT_EQ(table().todays_choice("block", {"layers", {"*"}}), choice("layers", {"*"}));
  EXPECT_EQ(table().todays_choice("sum", {"smem", {"on"}}), choice("smem", {"on"}));
  EXPECT_EQ(table().todays_choice("window_attention", {"launch", {"overlapped", "plain"}}), std::nullopt)
      << "two switches";
  for (const char* value : {"rows", "*"})
    EXPECT_EQ(table().todays_choice("sum", {"order", {value}}), std::nullopt) << "no more";
  EXPECT_EQ(table().todays_choice("sum", {"copies", {"bulk", "none"}}), std::nullopt)
      << "one value is no more";
  EXPECT_EQ(table().todays_choice("sum", {"copies", {"bulk"}}), choice("copies", {"bulk"}));
}

TEST(OldSwitches, ItIsKnownOfWhichOperationsRulesSpeak) {
  const auto made = [](const std::string& switches) {
    ordered_json empty = shared_examples()["table"];
    for (auto& [section, rules] : empty.items()) rules = ordered_json::object();
    empty["switches"] = ordered_json::parse(switches);
    return old_names(empty.dump(), "names");
  };
  EXPECT_TRUE(made(R"({"sum/a": "b"})").speak_of_switches("sum"));
  EXPECT_FALSE(made(R"({"sum/a": "b"})").speak_of_switches("block"));
  EXPECT_TRUE(made(R"({"*/a": "b"})").speak_of_switches("block"));
  EXPECT_TRUE(made(R"({"sum/a": null})").speak_of_switches("sum"));
  EXPECT_FALSE(made("{}").speak_of_switches("sum"));
}

std::string refusal(const std::string& switches) {
  return test_support::refusal_from([&] {
    old_names(R"({"operations": {}, "variants": {}, "axes": {}, "values": {}, "switches": {)" + switches +
                  R"(}, "dropped": {}, "order": {}, "baselines": {}, "gone": {}})",
              "names");
  });
}

TEST(OldSwitches, WhatIsNoRuleIsRefused) {
  for (const char* rule : {R"("sum": "b")", R"("sum/": "b")", R"("sum/a/b": "c")", R"("sum/=x": "c=y")"})
    EXPECT_THAT(refusal(rule), HasSubstr("expected a key OPERATION/SWITCH[=VALUE]")) << rule;
  for (const char* rule : {R"("sum/a=x": "b")", R"("sum/a=x": "b=")", R"("sum/a=x": "=y")"})
    EXPECT_THAT(refusal(rule), HasSubstr("expected SWITCH=VALUE")) << rule;
  EXPECT_THAT(refusal(R"("sum/a": "b=y")"), HasSubstr("expected a switch alone"));
  EXPECT_THAT(refusal(R"("sum/a": "")"), HasSubstr("expected a name"));
  EXPECT_THAT(refusal(R"("sum/a": "a")"), HasSubstr("'sum/a': expected another name"));
  EXPECT_THAT(refusal(R"("*/a=x": "a=x")"), HasSubstr("'*/a=x': expected another name"));
}

TEST(OldSwitches, CirclesAreRefused) {
  for (const char* rules :
       {R"("sum/a": "b", "sum/b": "a")", R"("*/a": "b", "sum/b": "a")", R"("*/a=x": "b=y", "*/b=y": "a=x")",
        R"("*/a=x": "b=x", "sum/b": "a")", R"("sum/a=x": "a=y", "*/a=y": "a=x")"})
    EXPECT_THAT(refusal(rules), HasSubstr("found a circle")) << rules;
  for (const char* rules :
       {R"("a/x": "y", "b/y": "x")", R"("sum/a=x": "b=z", "sum/b=y": "a=x")",
        R"("sum/a": "b", "sum/b=x": "c=x")", R"("sum/a": "b", "sum/b": null)", R"("sum/a=x": null)"})
    EXPECT_EQ(refusal(rules), "accepted") << rules;
}

}  // namespace
}  // namespace ablate::old_switches_test
