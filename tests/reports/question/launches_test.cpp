#include <gmock/gmock.h>

#include <cmath>

#include "base/text/bad_input.h"
#include "reports/ablation/limits.h"
#include "reports/question/answer_text.h"
#include "reports/report/report.h"
#include "tests/reports/question/asked_launches.h"

// Answers and reports of several launches and GPUs, with planted baselines that move and others that do not.

namespace ablate::reports::answer_launches_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Keeps alive what the answer refers to.
struct answered {
  explicit answered(const std::vector<ordered_json>& launches) {
    for (const auto& file : files_of_launches(launches, fresh_folder())) records.push_back(read_record(file));
    std::vector<const record*> more;
    for (std::size_t i = 1; i < records.size(); ++i) more.push_back(&records[i]);
    processes.emplace(records.front(), more, limits_of(shipped_policy()));
    made.emplace(answer_of(records.front(), *records.front().report.question, *processes));
  }
  const effect& at(const std::string& layout, const std::string& items) const {
    for (const answered_workload& w : made->parts.at(0).workloads)
      if (w.row->value("layout") == layout && w.row->value("items") == items) return *w.best[0].over;
    throw std::runtime_error("no such workload");
  }
  std::string sentence() const { return answer_sentences(*made).at(0); }

  std::vector<record> records;
  std::optional<process_launches> processes;
  std::optional<question_answer> made;
};

TEST(AnswerOfLaunches, SaysThatTheBaselineMoved) {
  const answered a({launch_of(asked_cases(), 1), launch_of(with_moved_baseline(1.4), 2)});
  EXPECT_THAT(a.sentence(),
              HasSubstr("**Unsteady ground**: the best of **without** itself took up to 40 % longer "
                        "in one of the 2 records than in another, by more than 5 % on 1 workload "
                        "(rows, items 4096)"));
  EXPECT_NEAR(a.at("rows", "4096").from_moved_pct, 40, 1e-9);
  EXPECT_NEAR(a.at("rows", "4096").ratio(), 2 * std::sqrt(1.4), 1e-9);
  EXPECT_GT(a.at("rows", "4096").high(), 1.4 * 2) << "two launches that far apart bound little";
  const table lines = answer_table(*a.made, a.made->parts[0]);
  EXPECT_THAT(lines.lines[0].cells.back(), HasSubstr(" † 40 %"));
  EXPECT_THAT(lines.lines[1].cells.back(), Not(HasSubstr("†")));
  EXPECT_THAT(about_answer(*a.made), HasSubstr("† marks a ratio over a time that itself moved"));
}

TEST(AnswerOfLaunches, SaysNothingOfASteadyBaseline) {
  const answered a({launch_of(asked_cases(), 1), launch_of(with_moved_baseline(1.03), 2)});
  EXPECT_THAT(a.sentence(), Not(HasSubstr("Unsteady")));
  EXPECT_THAT(about_answer(*a.made), Not(HasSubstr("†")));
}

// A case was 40 % slower in one of two launches: what was FASTER in both remains so.
TEST(AnswerOfLaunches, AVerdictHoldsInEveryRecord) {
  std::vector<asked_case> small = asked_cases();
  for (asked_case& c : small)
    if (c.variant == "merged" && c.items == 1024) c.us *= 1.4;  // 0.89 becomes 1.24
  const answered a({launch_of(asked_cases(), 1), launch_of(small, 2)});
  EXPECT_EQ(a.at("rows", "1024").verdict.word, gate::verdict::inconclusive);
  EXPECT_EQ(a.at("rows", "16384").verdict.word, gate::verdict::faster);
}

/// Launches in which one workload's factor moves by `spread` from one to the next; in those of the others no
/// verdict is certain.
std::vector<ordered_json> spread_launches(double spread, bool with_others) {
  std::vector<ordered_json> out;
  for (int launch = 0; launch < 4; ++launch) {
    std::vector<asked_case> cases;
    for (asked_case c : asked_cases()) {
      const bool is_at_hand = c.layout == "rows" && c.items == 4096;
      if (!is_at_hand && !with_others) continue;
      // The others change sides from launch to launch.
      const double moved = is_at_hand ? 1 + spread * (launch - 1.5) : launch % 2 == 0 ? 4 : 0.25;
      if (c.variant == "merged" || (c.variant == "direct" && !is_at_hand)) c.us *= moved;
      cases.push_back(c);
    }
    out.push_back(launch_of(cases, launch + 1));
  }
  return out;
}

TEST(AnswerOfLaunches, AVerdictThatIsBarelyCertainIsNotAmongManyThatAreOpen) {
  const answered alone(spread_launches(0.24, false)), among(spread_launches(0.24, true));
  const effect &one = alone.at("rows", "4096"), &same = among.at("rows", "4096");
  EXPECT_EQ(one.time.low, same.time.low);
  EXPECT_EQ(one.verdict.word, gate::verdict::faster) << *one.verdict.p;
  EXPECT_EQ(same.verdict.word, gate::verdict::inconclusive) << *same.verdict.p;
  EXPECT_THAT(same.verdict.reason, HasSubstr("comparisons"));
  EXPECT_THAT(about_answer(*among.made), HasSubstr("at most 5 % are expected to be false"));
}

// The other GPU takes twice as long for everything; a ratio over its time would be half or double.
TEST(AnswerOfLaunches, NoRatioMixesTwoGpus) {
  std::vector<asked_case> slow = asked_cases();
  for (asked_case& c : slow) c.us *= 2;
  const answered a({launch_of(asked_cases(), 1, "GPU-one"), launch_of(slow, 1, "GPU-two")});
  EXPECT_NEAR(a.at("rows", "4096").ratio(), 2, 1e-9);
  EXPECT_EQ(a.at("rows", "4096").processes, 2u);
  EXPECT_THAT(a.sentence(), HasSubstr("up to 100 % longer"));
}

TEST(ReportOfLaunches, TakesGpusOfAModelTogether) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report(
      files_of_launches(
          {launch_of(asked_cases(), 1, "GPU-one"), launch_of(with_moved_baseline(1.4), 1, "GPU-two")}, out),
      out);
  const std::string summary = text_of(out / "summary.md");
  EXPECT_THAT(summary, Not(HasSubstr("# Side by side")));
  EXPECT_THAT(summary, HasSubstr("**Unsteady ground**"));
  EXPECT_THAT(summary, HasSubstr("of 2 launches of this suite and build, on 2 GPUs of the model,"));
  EXPECT_THAT(summary, HasSubstr("2 processes were measured: the mean of the ratios within each"));
  EXPECT_THAT(text_of(out / "answer.csv"), HasSubstr(",2,40,INCONCLUSIVE"));
}

TEST(ReportOfLaunches, MarksSpeedUpsOverABaselineThatMoved) {
  std::vector<asked_case> moved = asked_cases();
  for (asked_case& c : moved)
    if (c.variant == "direct" && c.layout == "street" && c.items == 16384) c.us *= 1.4;
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  write_report(files_of_launches({launch_of(asked_cases(), 1), launch_of(moved, 2)}, out), out);
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("(2.37× † 40 %)"));
  const auto drawn =
      ordered_json::parse(text_of(out / "plots" / "specs" / "scatter-speedup-cold-clean.vl.json"));
  std::size_t marked = 0;
  for (const ordered_json& cell : drawn["data"]["values"])
    marked += cell["text"].get<std::string>().ends_with(" †");
  EXPECT_EQ(marked, 1u);
  EXPECT_THAT(drawn["title"]["subtitle"].back().get<std::string>(), HasSubstr("† over a time that moved"));

  write_report(files_of_launches({launch_of(asked_cases(), 1), launch_of(asked_cases(), 2)}, out), out);
  EXPECT_THAT(text_of(out / "summary.md"), Not(HasSubstr("†")));
}

TEST(ReportOfLaunches, TheSameLaunchTwiceIsRefusedAndTwoGpusAtOnceAreNot) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  EXPECT_THROW(
      write_report(files_of_launches({launch_of(asked_cases(), 1), launch_of(asked_cases(), 1)}, out), out),
      bad_input);
}

/// A suite's first launch compares the outputs, later ones time alone.
ordered_json unchecked(ordered_json launch) {
  for (ordered_json& entry : launch["benchmarks"])
    entry["check"]["before"] = entry["check"]["after"] = "not_checked";
  return launch;
}

TEST(ReportOfLaunches, LaterOnesNeedNoCheckAndTheFirstDoes) {
  const auto out = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (out / "nowhere").string());
  const ordered_json first = launch_of(asked_cases(), 1), later = unchecked(launch_of(asked_cases(), 2));
  write_report(files_of_launches({first, later}, out), out);
  EXPECT_THAT(text_of(out / "summary.md"), HasSubstr("2 launches"));
  for (const auto& records : {std::vector{later}, std::vector{unchecked(first), later}}) try {
      write_report(files_of_launches(records, out), out);
      ADD_FAILURE() << "no launch compared the outputs";
    } catch (const bad_input& e) {
      EXPECT_THAT(e.what(), HasSubstr("compared with the oracle"));
    }
}

}  // namespace
}  // namespace ablate::reports::answer_launches_test
