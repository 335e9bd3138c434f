#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/suite/suite.h"
#include "tests/harness/cli/checked_suite.h"
#include "tests/support/made_operations.h"
#include "tests/support/refusal.h"

namespace ablate::suite_exhibits_test {
namespace {

using test_support::checked_suite_in;
using test_support::refusal_from;
using test_support::report_in;
using ::testing::HasSubstr;

/// A suite of made_sum whose flat shapes are sampled, with this figure's curve or this exhibit.
std::string showing(const std::string& exhibit) {
  return R"({"name": "s", "description": "d", "point_files": {"street": {"path": "street.bin"}},
             "cases": [{"operation": "made_sum", "variants": ["plain", "staged"],
                        "axes": {"points": [5, 10], "shape": "flat"}, "sampled": true},
                       {"operation": "made_sum", "variants": ["plain"], "axes": {"points": 5, "shape": "street"}}],
             "report": {"question": {"text": "t", "families": [{"name": "a", "variants": "plain"}, {"name": "b", "variants": "staged"}],
                 "workloads": {"operations": "made_sum", "along": "points"}, "exhibits": [)" +
         exhibit + "]}}}";
}

std::string curve(const std::string& of, const std::string& more = "") {
  return R"({"name": "f", "title": "t", "source": "p", "operation": "made_sum", )" + more +
         R"("curves": [{"label": "a", )" + of + "}]}";
}

std::string refusal(const std::string& text) {
  return refusal_from([&] { checked_suite_in(text); });
}

TEST(SuiteExhibits, SpellValuesAsRecordsDo) {
  const auto shown =
      report_in(showing(curve(R"("variant": "plain", "axes": {"points": "005"})"))).question->exhibits;
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0].curves[0].axes, (std::vector<std::pair<std::string, std::string>>{{"points", "5"}}));
}

TEST(SuiteExhibits, NameWhatTheSuiteAndTheBuildHave) {
  EXPECT_THAT(refusal(showing(curve(R"("variant": "plane")"))), HasSubstr("did you mean 'plain'?"));
  EXPECT_THAT(refusal(showing(curve(R"("axes": {"shpe": "flat"})"))), HasSubstr("shape"));
  EXPECT_THAT(refusal(showing(curve(R"("axes": {"shape": "steet"})"))), HasSubstr("street"));
  EXPECT_THAT(refusal(showing(curve(R"("variant": "plain")", R"("cache": "lukewarm", )"))),
              HasSubstr("cache state"));
  EXPECT_THAT(
      refusal(showing(R"({"name": "f", "title": "t", "source": "p", "operation": "made_su", "curves": []})")),
      HasSubstr("made_sum"));
}

TEST(SuiteExhibits, ACurveIsOfCasesThatAreSampled) {
  EXPECT_EQ(refusal(showing(curve(R"("variant": "plain", "axes": {"shape": "flat"})"))), "accepted");
  EXPECT_EQ(refusal(showing(curve(R"("rival": "whatever_a_script_adds", "axes": {"shape": "flat"})"))),
            "accepted");
  for (const char* of : {R"("variant": "plain", "axes": {"shape": "street"})", R"("variant": "hopper")",
                         R"("rival": "r", "axes": {"points": 7})"})
    EXPECT_THAT(refusal(showing(curve(of))),
                HasSubstr("/report/question/exhibits/0/curves/0: expected cases that the suite samples"))
        << of;
  EXPECT_THAT(refusal(showing(curve(R"("variant": "plain")", R"("cache": "hot", )"))), HasSubstr("samples"));
}

TEST(SuiteExhibits, RowsAndColumnsOfATableMayBeOfScripts) {
  const suite_report said = report_in(showing(
      R"({"name": "t", "title": "t", "source": "p", "operation": "made_sum",
          "rows": [{"label": "few", "axes": {"points": 5}}], "columns": [{"label": "theirs", "rival": "r"}],
          "quantities": [{"label": "time", "unit": "us", "values": "time_us.median", "published": [3]}]})"));
  const auto& shown = said.question->exhibits;
  EXPECT_FALSE(shown.at(0).is_figure());
  EXPECT_TRUE(shown[0].columns[0].is_rival);
}

}  // namespace
}  // namespace ablate::suite_exhibits_test
