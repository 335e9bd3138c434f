#include "reports/gate/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace ablate::gate::outputs_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

gate_report made_report() {
  gate_report out;
  out.gate = "static";
  out.verdict = "FAIL";
  out.reason = "1 change for the worse";
  out.exit_code = 1;
  out.facts = {{"baseline", "a & b"}};
  out.findings = {{"f<int>", "sm_80", "", "", "", "SAME", weight::passed, "nothing moved", ""},
                  {"g<a|b>", "sm_90a", "registers", "20", "24", "WORSE", weight::failed,
                   "g: 20 to 24, 50 %\nmore", "ablate again"},
                  {"h", "", "time", "1", "2", "INCONCLUSIVE", weight::inconclusive, "who \"knows\"", ""},
                  {"i", "", "", "", "", "NEW", weight::noted, "i is new", ""}};
  return out;
}

TEST(GateOutputs, TheTableHasWhatDidNotPassTheHeaviestFirst) {
  const std::string text = report_text(made_report());
  EXPECT_THAT(text, HasSubstr("baseline: a & b\n"));
  EXPECT_THAT(text, Not(HasSubstr("f<int>")));
  EXPECT_LT(text.find("WORSE"), text.find("INCONCLUSIVE"));
  EXPECT_LT(text.find("INCONCLUSIVE"), text.find("NEW"));
  EXPECT_THAT(text, HasSubstr("to compare the failures again:\n  ablate again\n"));
  EXPECT_TRUE(text.ends_with("static gate: FAIL: 1 change for the worse\n")) << text;
}

TEST(GateOutputs, ATableWithoutFindingsIsTheVerdictAlone) {
  gate_report report = made_report();
  report.findings.clear();
  report.verdict = "PASS";
  report.reason.clear();
  EXPECT_EQ(report_text(report), "baseline: a & b\n\nstatic gate: PASS\n");
}

TEST(GateOutputs, MarkdownKeepsItsTableWhole) {
  const std::string text = report_markdown(made_report());
  EXPECT_THAT(text, HasSubstr("## static gate: FAIL: 1 change for the worse\n"));
  EXPECT_THAT(text, HasSubstr("- passed: 1\n"));
  EXPECT_THAT(text, HasSubstr("| **WORSE** | `g<a\\|b>` | registers | sm_90a | 20 | 24 |\n"));
  EXPECT_THAT(text, HasSubstr("`ablate again`"));
}

TEST(GateOutputs, JsonHasEveryFinding) {
  const auto json = report_json(made_report());
  EXPECT_EQ(json["exit_code"], 1);
  ASSERT_EQ(json["findings"].size(), 4u);
  EXPECT_EQ(json["findings"][0]["weight"], "passed");
  EXPECT_EQ(json["findings"][1]["candidate"], "24");
}

TEST(GateOutputs, JunitCountsAndEscapes) {
  const std::string xml = report_junit(made_report());
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("value=\"a &amp; b\""));
  EXPECT_THAT(xml, HasSubstr("name=\"f&lt;int&gt;: sm_80\""));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"WORSE\" message=\"g: 20 to 24, 50 %&#10;more\">"));
  EXPECT_THAT(xml, HasSubstr("who &quot;knows&quot;"));
}

TEST(GateOutputs, JunitHasNoCharacterThatXmlCannotHave) {
  gate_report report = made_report();
  report.findings[1].message = std::string("bell\a and ") + '\0' + "nothing";
  EXPECT_THAT(report_junit(report), HasSubstr("bell and nothing"));
}

TEST(GateOutputs, AnnotationsAreALineEachAndEscaped) {
  const std::string text = report_annotations(made_report());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text,
              HasSubstr("::error title=static gate%3A WORSE::g: 20 to 24, 50 %25%0Amore%0Aablate again\n"));
  EXPECT_THAT(text, HasSubstr("::warning title=static gate%3A INCONCLUSIVE::"));
  EXPECT_THAT(text, HasSubstr("::notice title=static gate%3A NEW::i is new\n"));
}

}  // namespace
}  // namespace ablate::gate::outputs_test
