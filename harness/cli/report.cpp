#include "reports/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/claim_files.h"
#include "harness/cli/claim_names.h"
#include "harness/cli/commands.h"
#include "harness/cli/record_files.h"
#include "reports/best/outputs.h"
#include "reports/plots/render.h"
#include "reports/text/terminal.h"
#include "reports/text/text.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;
using paths = std::vector<std::filesystem::path>;

struct report_arguments {
  names records, floors, claims, figures, suites;
  std::string out, history;
};

/// Claims that are named have to be of something; those that come with the program wait for their operation.
std::vector<claim> claims_to_hold(const report_arguments& given, const paths& records) {
  if (given.claims.empty()) return read_all_claims(published_claims());
  std::vector<claim> out = read_all_claims({given.claims.begin(), given.claims.end()});
  std::vector<claim_evidence> evidence;
  for (const auto& record : records) evidence.push_back(read_claim_evidence(record));
  check_names(out, evidence);
  return out;
}

void print_figures(const std::vector<figure_name>& all) {
  std::vector<names> rows;
  for (const figure_name& figure : all) rows.push_back({figure.name, figure.title});
  if (!rows.empty()) fmt::print("{}", reports::columns(rows));
}

/// Of the first record; what else there is, the report has.
void print_results(const paths& records, const std::filesystem::path& out) {
  const record first = read_record(records.front());
  if (records.size() > 1) fmt::print("{}:\n", first.path.string());
  fmt::print("{}", best::results_text(first, reports::standard_output()));
  const std::filesystem::path page = out / "report.html", summary = out / "summary.md";
  for (const std::filesystem::path& written : {page, summary})
    if (std::filesystem::exists(written)) fmt::print("{}\n", written.string());
}

void make_report(const report_arguments& given) {
  const paths records = files_of_records(given.records);
  report_options options;
  if (!given.history.empty()) options.history = given.history;
  options.floors.assign(given.floors.begin(), given.floors.end());
  options.suites.assign(given.suites.begin(), given.suites.end());
  options.published_suites = reports::renderer_directory().parent_path() / "suites";
  if (given.figures == names{"list"}) return print_figures(report_figures(records, options));
  if (given.out.empty()) throw CLI::RequiredError("--out");
  if (!given.figures.empty()) {
    if (const auto missing = write_figures(records, given.figures, given.out, options))
      fmt::print("{}\n", *missing);
    return;
  }
  options.claims = claims_to_hold(given, records);
  write_report(records, given.out, options);
  print_results(records, given.out);
}

}  // namespace

void add_report_command(CLI::App& program, invocation&) {
  CLI::App* command =
      program.add_subcommand("report", "Make a summary, tables and plots from records. Needs no GPU");
  const auto given = std::make_shared<report_arguments>();
  command
      ->add_option("records", given->records,
                   "Records written by `ablate run`: files, or directories with a record.json. Those that "
                   "share device, suite, seed and build are taken as launches of one run. Others are shown "
                   "side by side: with verdicts for two builds on one device, without for different devices")
      ->required()
      ->type_name("RECORD...");
  command
      ->add_option("--out", given->out,
                   "Directory for summary.md, the tables (*.csv) and the plots as Vega-Lite specifications "
                   "(plots/). Where node and the packages in reports/package.json are installed, also for "
                   "SVG plots and report.html, which needs no network")
      ->type_name("DIR");
  command
      ->add_option("--figures", given->figures,
                   "Instead of a report, draw these plots as SVG, PDF and PNG: their names, which may "
                   "contain *, or 'all'; 'list' prints the names. PDF and PNG need rsvg-convert or Chromium")
      ->type_name("NAME...");
  command
      ->add_option("--claims", given->claims,
                   "Claims to judge in the report (docs/claims.md) [those in suites/claims about the "
                   "operations that were measured]")
      ->type_name("FILE...");
  command
      ->add_option(
          "--suite", given->suites,
          "Suites whose question the report answers instead of the records' own, each of a record's "
          "suite name [of a record without a question: suites/NAME.json beside the program's reports/]")
      ->type_name("FILE...");
  command
      ->add_option(
          "--floors", given->floors,
          "Noise floors from `ablate calibrate`, one file per device; report.html shows them for each case")
      ->type_name("FILE...");
  command
      ->add_option(
          "--history", given->history,
          "A history (`ablate history add`); the report also plots how the cases' medians changed over time")
      ->type_name("FILE");
  command->callback([given] { make_report(*given); });
}

}  // namespace ablate
