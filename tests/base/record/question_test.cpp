#include "base/record/question.h"

#include <gmock/gmock.h>

#include "base/record/record.h"
#include "base/text/bad_input.h"
#include "base/text/json_place.h"
#include "tests/reports/question/asked_record.h"
#include "tests/support/refusal.h"

namespace ablate::reports::question_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

std::string refusal(const std::function<void(ordered_json&)>& change) {
  ordered_json question = asked_question();
  change(question);
  return test_support::refusal_from([&] { question_of(json_place(question, "s.json")); });
}

TEST(Question, IsTheSameWhenItIsReadAgain) {
  const ordered_json given = asked_question();
  const suite_question question = question_of(json_place(given, "s.json"));
  EXPECT_EQ(question.families[0].switches[0].second, std::vector<std::string>{"on"});
  EXPECT_EQ(question.workloads[0].by, std::vector<std::string>{"layout"});
  EXPECT_EQ(question_json(question), given);
}

TEST(Question, OneValueAndOneWorkloadNeedNoList) {
  ordered_json given = asked_question();
  given["families"][0]["switches"]["stage"] = "on";
  given["workloads"] = given["workloads"][0];
  given["workloads"]["axes"] = {{"items", 4096}};
  const suite_question question = question_of(json_place(given, "s.json"));
  EXPECT_EQ(question.families[0].switches[0].second, std::vector<std::string>{"on"});
  EXPECT_EQ(question.workloads[0].axes[0].second, std::vector<std::string>{"4096"});
}

TEST(Question, RefusesWhatAsksNothing) {
  EXPECT_THAT(refusal([](auto& q) { q["families"].erase(1); }),
              HasSubstr("s.json: /families: expected at least two families, found one"));
  EXPECT_THAT(refusal([](auto& q) { q["families"][1]["name"] = "staging"; }),
              HasSubstr("/families/1: expected a name of its own, found 'staging' again"));
  EXPECT_THAT(refusal([](auto& q) { q["families"][0].erase("switches"); }),
              HasSubstr("/families/0: expected what the family consists of"));
  EXPECT_THAT(refusal([](auto& q) { q["workloads"][0].erase("along"); }),
              HasSubstr("/workloads/0: expected a key 'along', found none"));
  EXPECT_THAT(refusal([](auto& q) { q["text"] = ""; }), HasSubstr("/text: expected a name"));
  EXPECT_THAT(refusal([](auto& q) { q["famlies"] = 1; }),
              HasSubstr("no key 'famlies' (did you mean 'families'?)"));
}

TEST(Question, OfARecordIsRead) {
  const auto with = file_of_asked(asked_record(asked_cases(), asked_question()), fresh_folder());
  ASSERT_TRUE(read_record(with).report.question);
  EXPECT_EQ(read_record(with).report.question->text, "Does staging pay?");
  EXPECT_FALSE(read_record(made_record_path()).report.question) << "of an older record";
  ordered_json broken = asked_question();
  broken["workloads"] = 3;
  const auto file = file_of_asked(asked_record(asked_cases(), broken), fresh_folder());
  try {
    read_record(file);
    FAIL() << "accepted";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("/context/ablate/suite/report/question/workloads: expected an object, found 3"));
  }
}

}  // namespace
}  // namespace ablate::reports::question_test
