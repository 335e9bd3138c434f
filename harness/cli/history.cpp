#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "base/record/case_name.h"
#include "base/record/selection.h"
#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "reports/history/trends.h"
#include "reports/page/html.h"

namespace ablate {

namespace {

namespace fs = std::filesystem;
using history::trend;

struct history_arguments {
  std::string database, html, filter;
  std::vector<std::string> records, cases;
  bool json = false;
};

void add_records(const history_arguments& given) {
  history::database to = history::database::open_for_adding(given.database);
  for (const std::string& path : given.records) {
    const fs::path file = files_of_records({path}).front();
    fmt::print("{}: {}\n", file.string(), to.add(file) ? "added" : "is already in the history");
  }
  fmt::print("{}: {} records\n", given.database, to.record_count());
}

case_words words_of_series(const history::series& s) {
  return {s.case_name, s.operation, s.variant, s.cache_state, parts_of_case_name(s.case_name).axes};
}

/// The series of the cases that are chosen by words and by the filter; all where there is neither.
std::vector<trend> chosen_trends(const history_arguments& given) {
  history::database from = history::database::open(given.database);
  const std::vector<history::series> all = from.all_series();
  const std::vector<history::recorded_night> records = from.records();
  std::vector<case_words> cases;
  for (const history::series& s : all) cases.push_back(words_of_series(s));
  const selection chosen(given.cases, cases, given.database);
  const case_filter filter(given.filter, cases, "--filter");
  std::vector<trend> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!chosen.selects(cases[i]) || !filter.holds(cases[i])) continue;
    out.push_back(history::trend_of(all[i]));
    out.back().ends = history::ends_of(all[i], all, records);
  }
  if (out.empty() && !given.filter.empty())
    throw bad_input(given.database, "", fmt::format("no case is left by --filter '{}'", given.filter));
  if (out.empty() && !given.cases.empty()) throw bad_input(given.database, "", chosen.why_none(cases));
  return out;
}

void show_trends(const history_arguments& given) {
  const std::vector<trend> trends = chosen_trends(given);
  for (const trend& t : trends) fmt::print("{}\n", history::trend_text(t));
  if (given.html.empty()) return;
  std::vector<reports::plot> plots;
  for (const trend& t : trends) plots.push_back(history::trend_plot(t));
  if (const auto why = reports::write_plot_page("Times by date", plots, given.html))
    throw bad_input(given.html, "", *why);
}

void show_changes(const history_arguments& given) {
  const std::vector<trend> trends = chosen_trends(given);
  if (given.json)
    fmt::print("{}\n", reports::json_text(history::changes_json(trends), 2));
  else
    fmt::print("{}", history::changes_text(trends));
}

void add_database_option(CLI::App& command, history_arguments& given) {
  command.add_option("--database", given.database, "The history, an SQLite file")
      ->required()
      ->type_name("FILE");
}

void add_case_options(CLI::App& command, history_arguments& given) {
  command
      .add_option("cases", given.cases,
                  "Case ids, or words that a case has: axis=value, or an operation, variant, value or cache "
                  "state in full [all cases]")
      ->type_name("CASE...");
  command
      .add_option("--filter", given.filter,
                  "Only cases whose id contains a match of this regular expression (ECMAScript)")
      ->type_name("RE");
}

}  // namespace

void add_history_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "history", "Times of cases over many records: which changed, and since when. Needs no GPU");
  command->require_subcommand(1);
  const auto given = std::make_shared<history_arguments>();

  CLI::App* add =
      command->add_subcommand("add", "Add records to a history; creates the file if it is missing");
  add->add_option("records", given->records,
                  "Records of any version, or directories with a record.json. Adding one again changes "
                  "nothing")
      ->required()
      ->type_name("RECORD...");
  add_database_option(*add, *given);
  add->footer("Several processes may add to a history at once. A record is added whole or not at all.");
  add->callback([given] { add_records(*given); });

  CLI::App* trends =
      command->add_subcommand("trend", "The medians of cases by date, with the changes of level");
  add_case_options(*trends, *given);
  add_database_option(*trends, *given);
  trends->add_option("--html", given->html, "Write an offline page with a plot for each series")
      ->type_name("FILE");
  trends->footer(
      "A series is one case on one kind of device, timed by one method with one input; equal GPUs with "
      "different calibrations (`ablate compare --across`) are of two kinds. The GPU, the driver and the "
      "commit may change along it. GONE and DIFFERENT mark a series that the newest record of its suite does "
      "not continue.");
  trends->callback([given] { show_trends(*given); });

  CLI::App* changes = command->add_subcommand(
      "changes", "All changes of level, the largest slow-down first, and the cases that vanished");
  add_case_options(*changes, *given);
  add_database_option(*changes, *given);
  changes->add_flag("--json", given->json, "As JSON");
  changes->footer(
      "Changes are found by E-divisive on the logarithms of the medians: p <= 0.001 in a permutation test, "
      "and at least 1.5 %. That needs about a dozen records of a series. A case is GONE if the newest record "
      "of its suite lacks it, and DIFFERENT if its input, seed or method of timing changed. The exit code is "
      "always 0: a change is a report, not a failure.");
  changes->callback([given] { show_changes(*given); });
}

}  // namespace ablate
