#include "reports/question/answer.h"

#include <gmock/gmock.h>

#include "base/text/bad_input.h"
#include "reports/ablation/limits.h"
#include "reports/plots/vega.h"
#include "reports/question/answer_plot.h"
#include "reports/question/answer_text.h"
#include "reports/report/report.h"
#include "tests/reports/question/asked_record.h"
#include "tests/support/capability.h"

namespace ablate::reports::answer_test {
namespace {

using gate::verdict;
using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Keeps alive what the answer refers to.
struct answered {
  explicit answered(const std::vector<asked_case>& cases = asked_cases(),
                    const ordered_json& question = asked_question())
      : of(read_record(file_of_asked(asked_record(cases, question), fresh_folder()))),
        launches(of, {}, limits_of(shipped_policy())),
        made(answer_of(of, *of.report.question, launches)) {}

  const answered_part& part() const { return made.parts.at(0); }
  const answered_workload& at(const std::string& layout, const std::string& items) const {
    for (const answered_workload& w : part().workloads)
      if (w.row->value("layout") == layout && w.row->value("items") == items) return w;
    throw std::runtime_error("no such workload");
  }

  record of;
  process_launches launches;
  question_answer made;
};

TEST(Answer, SetsTheBestOfEachFamilyAgainstTheOthersBest) {
  const answered a;
  ASSERT_EQ(a.part().workloads.size(), 6u);
  const answered_workload& small = a.at("rows", "1024");
  EXPECT_EQ(small.best[0].variant, "staged");
  EXPECT_EQ(small.best[1].variant, "merged") << "not the baseline";
  EXPECT_NEAR(small.best[0].over->ratio(), 0.8 / 0.9, 1e-9);
  EXPECT_EQ(small.best[0].over->verdict.word, verdict::slower);
  EXPECT_EQ(small.fastest, 1u);
  const answered_workload& large = a.at("rows", "16384");
  EXPECT_EQ(large.best[0].variant, "staged_wide");
  EXPECT_NEAR(large.best[0].over->ratio(), 2, 1e-9);
  EXPECT_NEAR(large.best[0].over->low(), 2 * 0.99 / 1.01, 1e-9);
  EXPECT_EQ(large.fastest, 0u);
  EXPECT_FALSE(large.best[1].over) << "nothing is compared with itself";
}

TEST(Answer, MarksRecordedCloudsAndGroupsByTheAxesNamed) {
  const answered a;
  EXPECT_EQ(a.at("street", "1024").scan, "street");
  EXPECT_EQ(a.at("rows", "1024").scan, "");
  ASSERT_EQ(a.part().groups.size(), 2u);
  EXPECT_EQ(group_label(a.part(), a.part().groups[0]), "rows");
  EXPECT_EQ(group_label(a.part(), a.part().groups[1]), "street");
}

TEST(Answer, SaysWhereItHoldsAndWhereNot) {
  const answered a;
  const table lines = answer_table(a.made, a.part());
  ASSERT_EQ(lines.lines.size(), 2u);
  EXPECT_EQ(lines.lines[0].cells,
            (std::vector<std::string>{"rows (3)", "FASTER 2 (items ≥ 4096), SLOWER 1 (items 1024)",
                                      "`staged_wide` 2, `staged` 1", "`merged` 3", "2.00×",
                                      "0.89× (0.87 to 0.91)", "2.00× (1.96 to 2.04)"}));
  EXPECT_EQ(lines.lines[1].cells[1], "FASTER in all 3");
  const std::vector<std::string> said = answer_sentences(a.made);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(
      said[0],
      HasSubstr("**It depends.** Against the best of **without**, the best of **staging** is faster on "
                "5 of 6 workloads, by at most 2.00×; slower on 1 (rows, items 1024)."));
  EXPECT_THAT(said[0], HasSubstr("2.00× by the median, from 0.89×"));
}

TEST(Answer, SaysYesOrNoWhereAllWorkloadsAgree) {
  std::vector<asked_case> cases = asked_cases();
  std::erase_if(cases, [](const asked_case& c) { return c.layout == "rows"; });
  EXPECT_THAT(answer_sentences(answered(cases).made)[0], HasSubstr("**Yes.**"));
  for (asked_case& c : cases)
    if (c.variant == "staged") c.us *= 4;
  EXPECT_THAT(answer_sentences(answered(cases).made)[0], HasSubstr("**No.**"));
  for (asked_case& c : cases) c.us = static_cast<double>(c.items);
  EXPECT_THAT(answer_sentences(answered(cases).made)[0], HasSubstr("**It makes no difference.**"));
}

// A planted fault: were the wrong variant taken for the best of its family, a factor would change.
TEST(Answer, ASlowerVariantOfAFamilyChangesNothing) {
  std::vector<asked_case> cases = asked_cases();
  cases.push_back({"staged_slow", {{"stage", "on"}}, "street", 4096, 1e6});
  EXPECT_EQ(answer_sentences(answered(cases).made), answer_sentences(answered().made));
  cases.back().us = 1;
  EXPECT_NE(answer_sentences(answered(cases).made), answer_sentences(answered().made));
}

TEST(Answer, OtherInputsOtherVariantsAndOneSidedWorkloadsAreNotCompared) {
  std::vector<asked_case> cases = asked_cases();
  for (asked_case& c : cases)
    if (c.layout == "street" && c.variant == "staged") c.input = "00000000000000bb";
  answered other(cases);
  EXPECT_FALSE(other.at("street", "1024").best[0].over);
  EXPECT_THAT(answer_sentences(other.made)[0], HasSubstr("of 3 workloads"));

  cases = asked_cases();
  for (asked_case& c : cases)
    if (c.layout == "street") c.switches = {};  // stated by neither
  EXPECT_EQ(answered(cases).part().workloads.size(), 3u);

  std::erase_if(cases, [](const asked_case& c) { return c.variant.starts_with("staged"); });
  const answered none(cases);
  EXPECT_TRUE(none.made.parts.empty());
  ASSERT_EQ(none.made.open.size(), 1u);
  EXPECT_THAT(none.made.open[0], HasSubstr("`scatter` has no answer here"));
}

TEST(Answer, OnlyTheWorkloadsThatAreAskedAboutCount) {
  ordered_json question = asked_question();
  question["workloads"][0]["axes"] = {{"layout", {"rows"}}, {"items", {"4096", "16384"}}};
  question["workloads"][0]["cache"] = {"cold-clean"};
  std::vector<asked_case> cases = asked_cases();
  cases.push_back({"direct", {{"stage", "off"}}, "rows", 4096, 1, "00000000000000aa", "hot"});
  cases.push_back({"staged", {{"stage", "on"}}, "rows", 4096, 1, "00000000000000aa", "hot"});
  const answered a(cases, question);
  EXPECT_EQ(a.part().workloads.size(), 2u);
  question["workloads"][0].erase("cache");
  const answered both(cases, question);
  EXPECT_EQ(both.part().workloads.size(), 3u);
  EXPECT_EQ(both.part().groups.size(), 2u) << "a cache state is a group of its own";
}

TEST(Answer, NamesTheFamilyWhereAQuestionAsksWhich) {
  std::vector<asked_case> cases = asked_cases();
  std::erase_if(cases, [](const asked_case& c) { return c.layout == "rows"; });
  ordered_json question = asked_question();
  question["text"] = "Which is faster, staging or none?";
  EXPECT_THAT(answer_sentences(answered(cases, question).made)[0], StartsWith("**Staging.**"));
  for (asked_case& c : cases)
    if (c.variant == "staged") c.us *= 4;
  EXPECT_THAT(answer_sentences(answered(cases, question).made)[0], StartsWith("**Without.**"));
  question["families"][0]["name"] = "cuDNN";
  question["families"][1]["name"] = "cuBLASLt";
  EXPECT_THAT(answer_sentences(answered(cases, question).made)[0], StartsWith("**cuBLASLt.**"));
}

TEST(Answer, FamiliesMayChooseAxes) {
  ordered_json question = asked_question();
  question["families"] = {{{"name", "rows"}, {"axes", {{"layout", {"rows"}}}}},
                          {{"name", "street"}, {"axes", {{"layout", {"street"}}}}}};
  question["workloads"][0].erase("by");
  const answered a(asked_cases(), question);
  ASSERT_EQ(a.part().workloads.size(), 3u) << "by items alone";
  EXPECT_EQ(a.part().workloads[0].best[0].variant, "merged")
      << "measured in one layout, which its name need not say";
  EXPECT_EQ(a.part().workloads[0].best[1].variant, "staged, layout=street");
  EXPECT_NEAR(a.part().workloads[0].best[0].over->ratio(), 1 / 0.8, 1e-9);
}

TEST(Answer, MoreThanTwoFamiliesAreRankedAndHeldAgainstTheLast) {
  ordered_json question = asked_question();
  question["families"] = {{{"name", "wide"}, {"variants", {"staged_wide"}}},
                          {{"name", "staged"}, {"variants", {"staged"}}},
                          {{"name", "unstaged"}, {"switches", {{"stage", {"off"}}}}}};
  const answered a(asked_cases(), question);
  const std::string said = answer_sentences(a.made)[0];
  EXPECT_THAT(said,
              HasSubstr("**Staged** is the fastest on 3 of 6 workloads (layout street), **wide** on 2"));
  EXPECT_THAT(said, HasSubstr("Against the best of **unstaged**: wide 2.00× by the median (0.50 to 2.00), "
                              "faster on 2 of 3, slower on 1 of 3"));
  const table lines = answer_table(a.made, a.part());
  EXPECT_EQ(lines.header[1], "best of");
  ASSERT_EQ(lines.lines.size(), 3u) << "rows: wide and staged; street: staged alone";
}

TEST(AnswerPlot, HasAPointAWorkloadWithItsInterval) {
  const answered a;
  const auto drawn = answer_plot(a.made, "Imaginary GPU");
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->name, "answer");
  const ordered_json& rows = drawn->specification["data"]["values"];
  ASSERT_EQ(rows.size(), 6u);
  for (const ordered_json& row : rows) {
    EXPECT_LT(row["low"].get<double>(), row["factor"].get<double>());
    EXPECT_GT(row["high"].get<double>(), row["factor"].get<double>());
    EXPECT_EQ(row["cloud"] == recorded_scan, row["group"] == "street");
  }
  // staged_wide is measured at each size of rows, so these make a line.
  EXPECT_TRUE(rows[0]["curve"].is_string());
  EXPECT_EQ(rows[0]["curve"], rows[1]["curve"]);
  EXPECT_NE(rows[0]["curve"], rows[5]["curve"]);
}

TEST(AnswerPlot, NoLineJoinsWorkloadsWithOtherVariants) {
  std::vector<asked_case> cases = asked_cases();
  std::erase_if(cases, [](const asked_case& c) { return c.variant == "staged_wide" && c.items == 16384; });
  const answered a(cases);
  const ordered_json spec = answer_plot(a.made, "")->specification;
  for (const ordered_json& row : spec["data"]["values"])
    if (row["group"] == "rows") {
      EXPECT_TRUE(row["curve"].is_null());
    }
}

TEST(AnswerPlot, SeveralFamiliesHaveAPanelAGroupOnOneScale) {
  ordered_json question = asked_question();
  question["families"].push_back({{"name", "merged"}, {"variants", {"merged", "direct"}}});
  const answered a(asked_cases(), question);
  const ordered_json spec = answer_plot(a.made, "")->specification;
  ASSERT_EQ(spec["concat"].size(), 2u);
  const auto domain = [&](std::size_t i) {
    return spec["concat"][i]["layer"][1]["encoding"]["y"]["scale"]["domain"];
  };
  EXPECT_EQ(domain(0), domain(1));
}

TEST(AnswerPlot, APanelWithoutARowIsLeftOut) {
  ordered_json question = asked_question();
  question["families"].push_back({{"name", "merged"}, {"variants", {"merged"}}});  // in rows alone
  const answered a(asked_cases(), question);
  const ordered_json spec = answer_plot(a.made, "")->specification;
  EXPECT_FALSE(spec.contains("concat")) << "nothing is compared in the street";
  ASSERT_FALSE(spec["data"]["values"].empty());
  for (const ordered_json& row : spec["data"]["values"]) {
    EXPECT_EQ(row["panel"], 0);
    EXPECT_EQ(row["cloud"], generated_cloud);
  }
}

std::string summary_of(const ordered_json& made, const report_options& options = {}) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({file_of_asked(made, out)}, out, options);
  return text_of(out / "summary.md");
}

TEST(AnswerReport, TheSummaryBeginsWithIt) {
  const std::string summary = summary_of(asked_record(asked_cases(), asked_question()));
  const auto question = summary.find("## Does staging pay?\n\n**It depends.**");
  ASSERT_NE(question, std::string::npos) << summary;
  EXPECT_LT(question, summary.find("## scatter"));
  EXPECT_LT(summary.find("## scatter"), summary.find("## The run"));
  EXPECT_THAT(summary, Not(HasSubstr("answer.svg"))) << "nothing was drawn";
}

TEST(AnswerReport, ThePictureStandsBesideTheSummaryThatShowsIt) {
  if (const auto why = why_no_node("vega-lite"); !why.empty()) ABLATE_LACKS("node", why);
  const auto out = fresh_folder();
  std::ofstream(out / "answer.svg") << "of another record";
  write_report({file_of_asked(asked_record(asked_cases(), asked_question()), out)}, out);
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("![Does staging pay?](answer.svg)"));
  EXPECT_TRUE(text_of(out / "answer.svg").starts_with("<svg "));
}

TEST(AnswerReport, TheCsvHasEveryFactor) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report({file_of_asked(asked_record(asked_cases(), asked_question()), out)}, out);
  const std::string csv = text_of(out / "answer.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  EXPECT_THAT(csv, HasSubstr(",staging,staged_wide,without,merged,6553.6,13107.2,2,1.96"));
}

ordered_json suite_of(const std::string& name) {
  ordered_json question = asked_question();
  question.erase("scans");
  question["text"] = "Asked by a file?";
  return {{"name", name},
          {"description", ""},
          {"point_files", {{"street", {{"path", "x"}}}}},
          {"report", {{"question", question}}}};
}

TEST(AnswerReport, ARecordWithoutAQuestionTakesThatOfThePublishedSuite) {
  const auto folder = fresh_folder();
  std::ofstream(folder / "made_by_hand.json") << suite_of("made_by_hand").dump();
  report_options options;
  options.published_suites = folder;
  const ordered_json silent = asked_record(asked_cases(), nullptr);
  {
    const auto out = folder / "out";
    std::filesystem::create_directories(out);
    const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
    write_report({file_of_asked(silent, out)}, out, options);
    EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("## Asked by a file?"));
    write_report({file_of_asked(asked_record(asked_cases(), asked_question()), out)}, out, options);
    EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("## Does staging pay?")) << "its own comes first";
    ordered_json unanswered = asked_question();
    unanswered["families"][0]["switches"]["stage"] = {"twice"};
    write_report({file_of_asked(asked_record(asked_cases(), unanswered), out)}, out, options);
    EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("## Asked by a file?")) << "if it has an answer";
    write_report({file_of_asked(asked_record(asked_cases(), asked_question()), out)}, out, options);
    options.suites = {folder / "made_by_hand.json"};
    write_report({out / "record.json"}, out, options);
    EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("## Asked by a file?")) << "unless a suite is named";
  }
}

TEST(AnswerReport, ASuiteOfNoRecordIsRefused) {
  const auto folder = fresh_folder();
  std::ofstream(folder / "other.json") << suite_of("other").dump();
  report_options options;
  options.suites = {folder / "other.json"};
  const auto record = file_of_asked(asked_record(asked_cases(), nullptr), folder);
  try {
    write_report({record}, folder / "out", options);
    FAIL() << "accepted";
  } catch (const bad_input& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("other.json: /name: expected the suite of a record, found 'other'; the record "
                          "is of 'made_by_hand'"));
  }
}

}  // namespace
}  // namespace ablate::reports::answer_test
