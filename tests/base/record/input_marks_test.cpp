// Marks of degenerate inputs, and that every table which ranks cases shows them.
#include "base/record/input_marks.h"

#include <gmock/gmock.h>

#include <functional>
#include <sstream>

#include "reports/ablation/limits.h"
#include "reports/best/outputs.h"
#include "reports/compare/outputs.h"
#include "reports/explain/outputs.h"
#include "reports/gate/policy.h"
#include "reports/page/html_data.h"
#include "reports/report/report.h"
#include "reports/views/labels.h"
#include "reports/views/workloads.h"
#include "tests/reports/two_builds.h"
#include "tests/support/paths.h"

namespace ablate::reports::input_marks_test {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string mark_of(const ordered_json& input) {
  measured_case c;
  c.input = input;
  return input_mark(c);
}

TEST(InputMarks, StandForDegenerateInputsAlone) {
  EXPECT_EQ(mark_of({{"hash", "aa"}}), "");
  EXPECT_EQ(mark_of({{"points", 100}, {"valid", 50}, {"occupied", 7}, {"non_finite", 50}}), "");
  EXPECT_EQ(mark_of({{"points", 100}, {"valid", 49}}), " (49 % of points in grid)");
  EXPECT_EQ(mark_of({{"points", 100000}, {"valid", 1}}), " (0.001 % of points in grid)");
  EXPECT_EQ(mark_of({{"points", 0}}), " (no points)");
  EXPECT_EQ(mark_of({{"points", 10}, {"valid", 10}, {"occupied", 1}}), " (all points in one cell)");
  EXPECT_EQ(mark_of({{"points", 1}, {"valid", 1}, {"occupied", 1}}), "");
  EXPECT_EQ(mark_of({{"points", 100}, {"skipped_points", 50}}), "");
  EXPECT_EQ(mark_of({{"points", 100}, {"skipped_points", 75}}), " (25 % of points in range)");
  EXPECT_EQ(mark_of({{"points", 8}, {"file_points", 100}, {"skipped_points", 75}, {"zero_returns", 9}}),
            " (25 % of points in range)");
  EXPECT_EQ(mark_of({{"points", 1000}, {"zero_returns", 9}}), "");
  EXPECT_EQ(mark_of({{"points", 1000}, {"valid", 400}, {"zero_returns", 10}}),
            " (40 % of points in grid, 1 % zero returns)");
  EXPECT_EQ(mark_of({{"points", 100}, {"positions", 100}, {"fp16_positions", 95}}), "");
  EXPECT_EQ(mark_of({{"points", 100}, {"positions", 100}, {"fp16_positions", 94}}),
            " (94 % of positions left by fp16)");
  EXPECT_EQ(mark_of({{"points", 100}, {"positions", 1}, {"fp16_positions", 1}}),
            " (all points in one place)");
}

constexpr const char* mark = "(12 % of points in grid)";

/// Of all points of the record's cases, 12 % are in the grid.
ordered_json degenerate(ordered_json made) {
  for (ordered_json& entry : made["benchmarks"])
    if (entry["input"].contains("points"))
      entry["input"]["valid"] = 0.12 * entry["input"]["points"].get<double>();
  return made;
}

record record_of(const ordered_json& made) { return read_record(written("record.json", made.dump())); }

/// What `text_of` makes of the made record has the mark where the record's input is degenerate, and only
/// there.
void expect_the_mark(const std::function<std::string(const record&)>& text_of) {
  EXPECT_THAT(text_of(record_of(degenerate(made_record()))), HasSubstr(mark));
  EXPECT_THAT(text_of(record_of(made_record())), Not(HasSubstr(mark)));
}

/// The lines that begin like this.
std::string lines_from(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start)) out += line + "\n";
  return out;
}

TEST(InputMarks, StandInBest) {
  expect_the_mark([](const record& r) {
    return best::answer_text(best::answer_of(r, {"items=2048", "layout=rows"}), false, {});
  });
  expect_the_mark([](const record& r) { return best::results_text(r, {}); });
  expect_the_mark([](const record& r) { return best::answer_json(best::everything_in(r)).dump(); });
}

TEST(InputMarks, StandInExplain) {
  const record r = record_of(degenerate(made_record()));
  const auto explained = explain::explain_case(r, "scatter/merged/items=2048/layout=rows/@cold-clean",
                                               explain::counter_meanings());
  const std::string text = explain::explanation_text(explained, false);
  EXPECT_THAT(text, HasSubstr(mark));
  EXPECT_THAT(text, HasSubstr("non_finite"));
  EXPECT_EQ(explain::explanation_json(explained).at("input").at("points"), 2048);
}

TEST(InputMarks, StandInTheTablesOfAReport) {
  const auto folder = fresh_folder();
  const environment nowhere("ABLATE_REPORTS_DIR", (folder / "nowhere").string());
  const auto path = folder / "degenerate.json";
  std::ofstream(path, std::ios::binary) << degenerate(made_record()).dump();
  write_report({path}, folder / "report");
  const std::string summary = text_of(folder / "report" / "summary.md");
  EXPECT_THAT(lines_from(summary, "| cold-clean"), HasSubstr(mark));
  EXPECT_THAT(summary, HasSubstr("degenerate inputs"));
}

TEST(InputMarks, StandInThePage) {
  const gate::gate_policy policy = shipped_policy();
  const report_extras extras{&policy};
  expect_the_mark(
      [&](const record& r) { return html_data(report_of(r, {}, extras, "made", "")).at("cases").dump(); });
}

TEST(InputMarks, StandInLabels) {
  const record r = record_of(degenerate(made_record()));
  const operation_view view(r, "scatter");
  const named_words whole = view.rows.front().axes;
  EXPECT_THAT(label(view, whole, {"layout"}), HasSubstr(mark));
  EXPECT_THAT(workload_labels(view, view.varying_axes()).of(whole), HasSubstr(mark));
  EXPECT_THAT(label(view, {whole.back()}, {"layout"}), Not(HasSubstr(mark))) << "of a group of workloads";
}

TEST(InputMarks, StandInCompareAndSideBySide) {
  const auto folder = fresh_folder();
  made_builds builds = made_two_builds(folder);
  builds.before = degenerate(builds.before);
  builds.after = degenerate(builds.after);
  const std::vector<std::filesystem::path> files = files_of(builds, folder);
  const compare::record_comparison made =
      compare::compare_records({read_record(files[0])}, {read_record(files[1])},
                               gate::read_policy(test_support::source_path("suites/gates/default.json")), {});
  const std::string in_terminal = compare::comparison_text(made, true);
  EXPECT_THAT(in_terminal, HasSubstr(mark));
  EXPECT_THAT(lines_from(compare::comparison_markdown(made), "| scatter/"), HasSubstr(mark));

  const environment nowhere("ABLATE_REPORTS_DIR", (folder / "nowhere").string());
  write_report(files, folder / "report");
  EXPECT_THAT(lines_from(text_of(folder / "report" / "summary.md"), "| `scatter/"), HasSubstr(mark));
}

}  // namespace
}  // namespace ablate::reports::input_marks_test
