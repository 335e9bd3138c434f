#include "harness/cli/suite_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "tests/harness/cli/checked_suite.h"
#include "tests/support/made_operations.h"
#include "tests/support/paths.h"
#include "tests/support/refusal.h"
#include "tests/support/run_program.h"

namespace ablate::suite_report_test {
namespace {

using nlohmann::ordered_json;
using test_support::checked_suite_in;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// A suite of made_sum that has these members, too.
std::string with(const std::string& more) {
  return R"({"name": "s", "description": "d", )" + more +
         R"("cases": [{"operation": "made_sum", "variants": ["plain", "staged"], "axes": {"points": [5, 10], "mode": ["int", "float"]}}]})";
}

std::string saying(const std::string& report) { return with("\"report\": " + report + ", "); }

const std::string question = R"({"text": "t", "families": [{"name": "a", "axes": {"mode": "int"}},
    {"name": "b", "axes": {"mode": "float"}}], "workloads": {"operations": "made_sum", "along": "points"}})";
const std::string ladder = R"({"title": "l", "operation": "made_sum", "steps": [
    {"label": "a", "variant": "plain", "axes": {"points": 5}}, {"label": "b", "axes": {"points": 10}}]})";

std::string with_ladder(const std::string& of = ladder) {
  return question.substr(0, question.size() - 1) + R"(, "ladder": )" + of + "}";
}

/// Without the file's name.
std::string refusal(const std::string& text) {
  const std::string said = test_support::refusal_from([&] { checked_suite_in(text); });
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  const std::size_t file = said.find("s.json: ");
  return file == std::string::npos ? said : said.substr(file + 8);
}

TEST(SuiteReport, IsInTheSuiteAsRecordsHaveIt) {
  const suite s = checked_suite_in(saying(R"({"question": )" + with_ladder() + R"(, "comparisons":
      [{"operations": ["made_sum", "made_ceiling"]}, {"operations": "made_sum", "across": "mode", "draw": "quality"}]})"));
  EXPECT_EQ(s.report["comparisons"].dump(),
            R"([{"operations":["made_sum","made_ceiling"],"across":[],"draw":["counters","quality"]},)"
            R"({"operations":["made_sum"],"across":["mode"],"draw":["quality"]}])");
  EXPECT_EQ(s.report["question"]["workloads"].dump(), R"([{"operations":["made_sum"],"along":"points"}])");
  EXPECT_EQ(s.report["question"]["ladder"]["steps"][0]["axes"].dump(),
            R"({"points":"5","mode":"int","shape":"flat"})");
  EXPECT_TRUE(checked_suite_in(with("")).report.is_null());
}

TEST(SuiteReport, JoinsWhatReportsCompare) {
  const auto joins = checked_suite_in(saying(R"({"question": )" + with_ladder() + R"(, "comparisons":
      [{"operations": ["made_sum", "made_ceiling"]}]})"))
                         .joins;
  ASSERT_EQ(joins.size(), 3u);
  EXPECT_THAT(joins[0].operations, ElementsAre("made_sum", "made_ceiling"));
  EXPECT_THAT(joins[1].across, ElementsAre("mode"));
  EXPECT_THAT(joins[2].across, ElementsAre("points"));
  EXPECT_TRUE(checked_suite_in(with("")).joins.empty());
}

TEST(SuiteReport, RefusesKeysThatItDoesNotKnowAndNamesTheNearest) {
  EXPECT_EQ(
      refusal(saying(R"({"questoin": {}})")),
      "/report/questoin: no key 'questoin' (did you mean 'question'?); expected one of 'comparisons', 'question'");
  EXPECT_THAT(refusal(saying(R"({"question": {"familes": []}})")),
              HasSubstr("/report/question/familes: no key 'familes' (did you mean 'families'?)"));
  EXPECT_THAT(refusal(saying("7")), HasSubstr("/report: expected an object, found 7"));
}

TEST(SuiteReport, ALadderAndExhibitsArePartsOfAQuestion) {
  EXPECT_EQ(refusal(saying(R"({"question": )" + question + R"(, "ladder": )" + ladder + "}")),
            "/report/ladder: expected it in 'question', of which 'ladder' is a part");
  EXPECT_EQ(refusal(saying(R"({"exhibits": []})")),
            "/report/exhibits: expected it in 'question', of which 'exhibits' is a part");
  EXPECT_EQ(refusal(saying(R"({"question": {"ladder": )" + ladder + "}}")),
            "/report/question: expected a key 'text', found none");
}

TEST(SuiteReport, SuitesOfBeforeAreReadAndToldWhereTheirKeysBelong) {
  testing::internal::CaptureStderr();
  const suite before =
      checked_suite_in(with(R"("question": )" + question + R"(, "ladder": )" + ladder +
                            R"(, "comparisons": [{"operations": "made_sum", "across": "mode"}], )"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              EndsWith("comparisons is report.comparisons, question is report.question, ladder is "
                       "report.question.ladder\n"));
  const suite today =
      checked_suite_in(saying(R"({"comparisons": [{"operations": "made_sum", "across": "mode"}],
      "question": )" + with_ladder() +
                              "}"));
  EXPECT_EQ(before.report.dump(), today.report.dump());
  EXPECT_EQ(refusal(with(R"("ladder": )" + ladder + ", ")),
            "/report/question: expected a key 'text', found none");
  EXPECT_THAT(refusal(with(R"("report": {"question": )" + question + R"(}, "question": {}, )")),
              HasSubstr("/question: no key 'question'"));
}

TEST(SuiteReport, RefusesComparisonsOfNothing) {
  const auto refused = [](const std::string& comparison) {
    return refusal(saying(R"({"comparisons": [)" + comparison + "]}"));
  };
  EXPECT_EQ(refused(""),
            "/report/comparisons: expected an array of at least one comparison, found an empty array");
  EXPECT_EQ(
      refused(R"({"operations": "made_sum"})"),
      "/report/comparisons/0: one operation without 'across'; expected axes, or operations, that differ");
  EXPECT_EQ(refused(R"({"across": "mode"})"),
            "/report/comparisons/0: expected a key 'operations', found none");
  EXPECT_TRUE(refused(R"({"operations": ["made_sum", "made_sun"]})")
                  .starts_with("/report/comparisons/0/operations/1: no operation 'made_sun' (did you mean "
                               "'made_sum'?)"));
  EXPECT_EQ(
      refused(R"({"operations": "made_sum", "across": "mood"})"),
      "/report/comparisons/0/across: no axis of 'made_sum' 'mood' (did you mean 'mode'?); expected one of "
      "'mode', 'points', 'shape'");
  EXPECT_EQ(
      refused(R"({"operations": "made_sum", "across": "mode", "draw": ["counter"]})"),
      "/report/comparisons/0/draw/0: no kind of figure 'counter' (did you mean 'counters'?); expected one of "
      "'counters', 'quality'");
}

TEST(SuiteReport, LaunchesWaitForAQuestion) {
  const std::string launches = R"("launches": {"least": 1, "until": "every question decided"}, )";
  EXPECT_EQ(
      refusal(with(launches)),
      "/launches/until: expected a key 'question' in the suite's 'report', whose verdicts it waits for");
  EXPECT_EQ(refusal(with(launches + R"("report": {"question": )" + question + "}, ")), "accepted");
}

/// Of a schema's object.
std::vector<std::string> properties(const ordered_json& of) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : of.at("properties").items()) keys.push_back(key);
  return keys;
}

/// The keys that the reader says it knows at a place.
std::vector<std::string> keys_known(const std::string& text) {
  const std::string what = refusal(text);
  std::vector<std::string> keys;
  std::size_t at = what.find("expected one of ");
  while ((at = what.find('\'', at)) != std::string::npos) {
    const std::size_t end = what.find('\'', at + 1);
    keys.push_back(what.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return keys;
}

TEST(SuiteReport, ThePublishedSchemaHasTheKeysThatTheReaderTakes) {
  const auto schema = reports::parse_json_file(test_support::source_path("suites/schema.json"));
  const ordered_json& report = schema["properties"]["report"];
  EXPECT_EQ(properties(report), keys_known(saying(R"({"?": 1})")));
  const ordered_json& asked = report["properties"]["question"];
  EXPECT_EQ(properties(asked), keys_known(saying(R"({"question": {"?": 1}})")));
  // Its operation is read first.
  EXPECT_EQ(
      properties(asked["properties"]["ladder"]),
      keys_known(saying(R"({"question": )" + with_ladder(R"({"operation": "made_sum", "?": 1})") + "}")));
}

/// Before anything is measured, in one line, with exit code 2.
TEST(SuiteReport, EveryCommandThatTakesASuiteRefusesABadOne) {
  const test_support::temporary_directory files;
  const auto path = files.write("s.json", R"({"name": "s", "description": "d",
    "cases": [{"operation": "voxelize", "axes": {"points": 100, "grid": 8}}],
    "report": {"question": {"text": "?", "families": [{"name": "a", "variants": "smem_hashd"}, {"name": "b", "variants": "global_atomic"}],
               "workloads": {"operations": "voxelize", "along": "points"}}}})");
  for (const char* command : {"plan", "run"}) {
    const auto refused = test_support::run_ablate({command, path.string()}, {}, files.path());
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_THAT(refused.error,
                HasSubstr("s.json: /report/question/families/0/variants: no variant that the suite "
                          "runs 'smem_hashd' (did you mean 'smem_hashed'?)"));
    EXPECT_EQ(std::count(refused.error.begin(), refused.error.end(), '\n'), 1) << refused.error;
  }
  EXPECT_FALSE(std::filesystem::exists(files.path() / "out"));
}

}  // namespace
}  // namespace ablate::suite_report_test
