#include "reports/search/outputs.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/text/bad_input.h"
#include "base/text/text_file.h"
#include "tests/reports/made_record.h"
#include "tests/reports/search/made_result.h"
#include "tests/support/capability.h"

namespace ablate::search::outputs_test {
namespace {

using nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr reports::terminal pipe_of_any_width;

std::filesystem::path imported_file(const ordered_json& json) {
  return reports::written("t4.json", json.dump());
}

ordered_json t4_of(const ordered_json& configuration, double time, const std::string& unit = "") {
  return {{"schema_version", "1.0.0"},
          {"results",
           {{{"configuration", configuration},
             {"objectives", {"time"}},
             {"times", {{"runtimes", {time, time}}}},
             {"invalidity", "correct"},
             {"correctness", 1},
             {"measurements", {{{"name", "time"}, {"value", time}, {"unit", unit}}}}}}}};
}

TEST(SearchText, NamesTheWinnerAndProvesIt) {
  const made::made_result made;
  const std::string text = result_text(*made, pipe_of_any_width);
  EXPECT_THAT(text,
              AllOf(HasSubstr("Best: threads=256, 50.00 us, 2.00×"),
                    HasSubstr("No neighbor in one switch is better by more than noise: 2 slower, 0 tied, "
                              "1 not measured."),
                    HasSubstr("needs sm_100"), Not(HasSubstr("budget ran out"))));
}

TEST(SearchText, SaysWhatASpentBudgetLeavesOpen) {
  const made::made_result made(2);
  const std::string text = result_text(*made, pipe_of_any_width);
  EXPECT_THAT(text, AllOf(HasSubstr("The budget ran out, so nothing is proven"), HasSubstr("left open"),
                          HasSubstr("open: "), Not(HasSubstr("No neighbor in one switch is better"))));
}

TEST(SearchText, ShowsFailuresAndImportedTimes) {
  made::made_result made;
  made->imported = read_t4(imported_file(t4_of({{"threads", 256}}, 0.07)), made.points());
  EXPECT_THAT(result_text(*made, pipe_of_any_width),
              AllOf(HasSubstr("threads=256: 70.00 us there, 50.00 us here"), HasSubstr("no verdict rests")));
  const space& of = made.points();
  const std::size_t wrong = *of.find("threads=128+pdl=on");
  EXPECT_EQ(made->found.seen.was_asked(wrong),
            result_text(*made, pipe_of_any_width).find("wrong: cell 3 differs") != std::string::npos);
}

TEST(SearchJson, HoldsToItsSchema) {
  if (const auto why = reports::why_no_node("ajv"); !why.empty()) ABLATE_LACKS("node", why);
  made::made_result proven;
  proven->imported = read_t4(imported_file(t4_of({{"threads", 256}}, 0.07)), proven.points());
  const made::made_result cut(1), half(2);
  ordered_json broken = result_json(*proven);
  broken["neighbors"][0]["state"] = "better";
  const auto faults = [](const ordered_json& json) {
    const auto file = reports::written("search.json", json.dump(1));
    return process::run({"node", (reports::renderer_directory() / "validate.mjs").string(),
                         (reports::renderer_directory() / "schema" / "search.schema.json").string(),
                         file.string()})
        .output;
  };
  EXPECT_EQ(faults(result_json(*proven)), "");
  EXPECT_EQ(faults(result_json(*cut)), "");
  EXPECT_EQ(faults(result_json(*half)), "");
  EXPECT_NE(faults(broken), "");
}

TEST(SearchJson, HasTheProof) {
  const made::made_result made;
  const ordered_json json = result_json(*made);
  EXPECT_EQ(json["winner"]["point"], "threads=256");
  EXPECT_TRUE(json["is_proven"]);
  EXPECT_NEAR(json["winner"]["over_baseline"]["ratio"], 0.5, 1e-9);
  ASSERT_EQ(json["neighbors"].size(), 3u);
  EXPECT_EQ(json["neighbors"][0]["state"], "slower");
  EXPECT_GT(json["neighbors"][0]["over_winner"]["ratio"], 1);
  EXPECT_EQ(json["neighbors"][2]["state"], "not_measured");
  EXPECT_EQ(json["neighbors"][2]["reason"], "needs sm_100");
  EXPECT_EQ(result_json(*made::made_result().operator->())["points"]["runnable"], 5);
}

TEST(SearchT4, WhatIsExportedIsImported) {
  const made::made_result made;
  const ordered_json json = t4_json(*made);
  EXPECT_EQ(json["metadata"]["timeunit"], "microseconds");
  for (const ordered_json& result : json["results"]) {
    for (const char* key : {"configuration", "times", "invalidity", "correctness"})
      EXPECT_TRUE(result.contains(key)) << "the format requires " << key;
    EXPECT_EQ(result["correctness"], result["invalidity"] == "correct" ? 1 : 0);
  }
  const imported_times read = read_t4(imported_file(json), made.points());
  EXPECT_EQ(read.configurations, json["results"].size());
  EXPECT_EQ(read.elsewhere, 0u);
  for (const auto& [point, us] : read.us) EXPECT_NEAR(us, (*made).found.seen.first_us(point), 1e-9);
  for (const std::size_t p : (*made).found.seen.counting()) EXPECT_TRUE(read.us.contains(p));
  const std::size_t wrong = *made.points().find("threads=128+pdl=on");
  EXPECT_FALSE(read.us.contains(wrong));
}

TEST(SearchT4, FindsPointsByTheirValuesAlone) {
  const made::made_result made;
  const space& of = made.points();
  const auto us_of = [&](const ordered_json& json) {
    const imported_times read = read_t4(imported_file(json), of);
    return read.us.empty()
               ? std::string("none")
               : fmt::format("{}: {:g}", of.points()[read.us.begin()->first].name, read.us.begin()->second);
  };
  EXPECT_EQ(us_of(t4_of({{"threads", 256}}, 2)), "threads=256: 2000") << "milliseconds unless it says";
  EXPECT_EQ(us_of(t4_of({{"threads", "128"}, {"pdl", true}}, 2, "us")), "threads=128+pdl=on: 2");
  EXPECT_EQ(us_of(t4_of({{"threads", 128.0}, {"pdl", "off"}}, 3, "nanoseconds")), "threads=128: 0.003");
  EXPECT_EQ(us_of(t4_of(ordered_json::object(), 1, "s")), "base: 1e+06");
  EXPECT_EQ(us_of(t4_of({{"threads", 512}}, 1)), "none");
  EXPECT_EQ(us_of(t4_of({{"threads", 256}, {"block_size_x", 32}}, 1)), "none")
      << "a switch that is none here";
  ordered_json wrong = t4_of({{"threads", 256}}, 1);
  wrong["results"][0]["invalidity"] = "correctness";
  EXPECT_EQ(us_of(wrong), "none");
  ordered_json by_runtimes = t4_of({{"threads", 256}}, 4);
  by_runtimes["results"][0].erase("measurements");
  by_runtimes["metadata"] = {{"timeunit", "microseconds"}};
  EXPECT_EQ(us_of(by_runtimes), "threads=256: 4");
}

TEST(SearchT4, RefusesWhatIsNone) {
  const made::made_result made;
  const auto refused = [&](const ordered_json& json, const std::string& why) {
    try {
      read_t4(imported_file(json), made.points());
      FAIL() << why;
    } catch (const bad_input& e) {
      EXPECT_THAT(e.what(), HasSubstr(why));
    }
  };
  refused({{"cache", 1}}, "results");
  refused(t4_of({{"threads", 256}}, 1, "fortnights"), "nanoseconds, microseconds, milliseconds or seconds");
  refused(t4_of({{"threads", 256}}, -1), "/results/0/measurements/0/value");
}

TEST(SearchT1, HasTheSpaceAndItsCombinations) {
  const made::made_result made;
  const ordered_json json = t1_json(*made);
  const ordered_json& parameters = json["ConfigurationSpace"]["TuningParameters"];
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[1]["Name"], "threads");
  EXPECT_EQ(parameters[1]["Values"], "['off', 128, 256]");
  const std::string only = json["ConfigurationSpace"]["Conditions"][0]["Expression"];
  EXPECT_THAT(only, HasSubstr("('off', 256, )"));
  EXPECT_THAT(only, Not(HasSubstr("('on', 256, )"))) << "that point cannot run";
  EXPECT_TRUE(json.contains("KernelSpecification"));
}

}  // namespace
}  // namespace ablate::search::outputs_test
