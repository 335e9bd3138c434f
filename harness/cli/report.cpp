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
#include "reports/text/text.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;
using paths = std::vector<std::filesystem::path>;

struct report_arguments {
  names records, floors, claims, figures;
  std::string out, history;
};

paths record_files(const names& given) {
  paths out;
  for (const std::string& record : given) {
    std::error_code error;
    const bool is_directory = std::filesystem::is_directory(record, error);
    out.push_back(is_directory ? std::filesystem::path(record) / "record.json"
                               : std::filesystem::path(record));
  }
  return out;
}

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

void make_report(const report_arguments& given) {
  const paths records = record_files(given.records);
  report_options options;
  if (!given.history.empty()) options.history = given.history;
  options.floors.assign(given.floors.begin(), given.floors.end());
  if (given.figures == names{"list"}) return print_figures(report_figures(records, options));
  if (given.out.empty()) throw CLI::RequiredError("--out");
  if (!given.figures.empty()) {
    if (const auto missing = write_figures(records, given.figures, given.out, options))
      fmt::print("{}\n", *missing);
    return;
  }
  options.claims = claims_to_hold(given, records);
  write_report(records, given.out, options);
}

}  // namespace

void add_report_command(CLI::App& program, invocation&) {
  CLI::App* command =
      program.add_subcommand("report", "Turn records into a summary, tables and plots. Needs no GPU");
  const auto given = std::make_shared<report_arguments>();
  command
      ->add_option(
          "records", given->records,
          "Record files written by `ablate run`, or directories that hold a record.json. Those of one "
          "device, suite, seed and build are launches of it; others are laid side by side: two builds "
          "on one device with verdicts, two devices without")
      ->required()
      ->type_name("RECORD...");
  command
      ->add_option("--out", given->out,
                   "Directory for summary.md, the tables (*.csv) and plots/: Vega-Lite specifications "
                   "always; SVG and report.html, which opens without a network, where node and the packages "
                   "of reports/package.json are installed")
      ->type_name("DIR");
  command
      ->add_option(
          "--figures", given->figures,
          "Draw these plots instead, each as SVG, PDF and PNG: names, which may hold *, or all; list "
          "prints the names. PDF and PNG need rsvg-convert or Chromium")
      ->type_name("NAME...");
  command
      ->add_option(
          "--claims", given->claims,
          "Files of claims (docs/claims.md) for the page's ledger; default: those of suites/claims on "
          "the records' operations")
      ->type_name("FILE...");
  command
      ->add_option(
          "--floors", given->floors,
          "Noise floors from `ablate calibrate`, a file for each device: the page shows them case by "
          "case")
      ->type_name("FILE...");
  command
      ->add_option("--history", given->history,
                   "A history (`ablate history add`): the cases' medians by date are plotted too")
      ->type_name("FILE");
  command->callback([given] { make_report(*given); });
}

}  // namespace ablate
