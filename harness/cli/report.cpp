#include "reports/report/report.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "base/text/terminal.h"
#include "base/text/text.h"
#include "harness/cli/claim_files.h"
#include "harness/cli/claim_names.h"
#include "harness/cli/commands.h"
#include "harness/cli/gate_files.h"
#include "harness/cli/help.h"
#include "harness/cli/record_files.h"
#include "reports/best/outputs.h"
#include "reports/gate/stale.h"
#include "reports/page/collection_data.h"
#include "reports/page/html.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;
using paths = std::vector<std::filesystem::path>;

struct report_arguments {
  names records, floors, claims, figures, suites, variants;
  std::string out, history, width, font, font_size;
  bool wants_figures = false, no_title = false;
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

/// One line where the tree's kernels are others than those that a record measured.
void mark_stale(const record& r) {
  const std::filesystem::path baseline = project_suites("gates") / "static_baseline.json";
  if (r.build.ablate || !std::filesystem::exists(baseline)) return;
  const gate::kernel_states states = gate::states_of_kernels(r, gate::read_static_facts(baseline));
  if (states.is_stale()) fmt::print("{}: {}\n", r.path.string(), states.text());
}

/// Of the first record; what else there is, the report has.
void print_results(const paths& records, const std::filesystem::path& out) {
  const record first = read_record(records.front());
  if (records.size() > 1) fmt::print("{}:\n", first.path.string());
  fmt::print("{}", best::results_text(first, reports::standard_output()));
  const std::filesystem::path page = out / "report.html", summary = out / "summary.md";
  for (const std::filesystem::path& written : {page, summary})
    if (std::filesystem::exists(written)) fmt::print("{}\n", written.string());
  mark_stale(first);
}

reports::paper_format format_of(const report_arguments& given) {
  reports::paper_format out;
  if (!given.width.empty()) out.width_px = reports::width_px_of("--width", given.width);
  out.font = given.font;
  if (!given.font_size.empty()) out.font_size_px = reports::font_size_px_of("--font-size", given.font_size);
  out.has_title = !given.no_title;
  return out;
}

void make_figures(const report_arguments& given, const paths& records, const report_options& options) {
  if (given.figures == names{"list"}) return print_figures(report_figures(records, options));
  const reports::paper_format format = format_of(given);
  if (given.out.empty()) throw CLI::RequiredError("--out");
  const drawn_figures drawn = write_figures(records, given.figures, given.out, format, options);
  for (const drawn_figure& figure : drawn.figures)
    fmt::print("{}\n  {}\n", figure.path.string(), figure.caption);
  if (drawn.note) fmt::print("{}\n", *drawn.note);
}

/// Of a folder of folders with records, which one page shows together; none where it is something else.
std::vector<reports::collected> collection_of(const names& given) {
  std::error_code error;
  if (given.size() != 1 || !std::filesystem::is_directory(given.front(), error) ||
      reports::holds_record(given.front()))
    return {};
  return reports::records_below(given.front());
}

void make_collection(const std::vector<reports::collected>& records, const std::filesystem::path& folder,
                     const std::filesystem::path& out) {
  const std::filesystem::path baseline = project_suites("gates") / "static_baseline.json";
  std::optional<gate::static_facts_file> of_tree;
  if (std::filesystem::exists(baseline)) of_tree = gate::read_static_facts(baseline);
  nlohmann::ordered_json data = reports::collection_data(records, of_tree ? &*of_tree : nullptr);
  data["root"] = folder.lexically_normal().string();
  for (const auto& line : data["left_out"]) fmt::print(stderr, "left out: {}\n", line.get<std::string>());
  std::filesystem::create_directories(out);
  const std::filesystem::path page = out / "index.html";
  if (const auto missing = reports::write_collection_page("Ablate: every record on one page", data, page))
    throw bad_input("report", "", *missing);
  fmt::print("{}\n", page.string());
}

void make_report(const report_arguments& given) {
  if (const auto collection = collection_of(given.records); !collection.empty()) {
    if (given.wants_figures || !given.floors.empty() || !given.claims.empty() || !given.suites.empty() ||
        !given.history.empty())
      throw bad_input(given.records.front(), "",
                      "a page over all records accepts only --out; name one record for other options");
    if (given.out.empty()) throw CLI::RequiredError("--out");
    return make_collection(collection, given.records.front(), given.out);
  }
  const paths records = files_of_launches(given.records);
  report_options options;
  if (!given.history.empty()) options.history = given.history;
  options.floors.assign(given.floors.begin(), given.floors.end());
  options.suites.assign(given.suites.begin(), given.suites.end());
  options.published_suites = project_suites("");
  options.drawn = given.variants;
  if (given.wants_figures) return make_figures(given, records, options);
  if (given.out.empty()) throw CLI::RequiredError("--out");
  options.claims = claims_to_hold(given, records);
  write_report(records, given.out, options);
  print_results(records, given.out);
}

/// How figures are drawn for a paper.
void add_figure_options(CLI::App& command, CLI::Option& figures, report_arguments& given) {
  figures.delimiter(',')->expected(0, -1)->default_str("list");
  command
      .add_option("--variants", given.variants, "Show only these variants in figures, in their usual colors")
      ->delimiter(',')
      ->type_name("NAME...")
      ->needs(&figures);
  command
      .add_option(
          "--width", given.width,
          "Exact width of figures, for a column of a paper: 3.4in, 86mm, 8.6cm, 245pt or 326px; the legend "
          "goes below the data")
      ->type_name("LENGTH")
      ->needs(&figures);
  command.add_option("--font", given.font, "Font of figures, such as \"Times New Roman\" [the screen's]")
      ->type_name("FAMILY")
      ->needs(&figures);
  command.add_option("--font-size", given.font_size, "Size of labels in figures, such as 8pt [8.25pt]")
      ->type_name("SIZE")
      ->needs(&figures);
  command
      .add_flag("--no-title", given.no_title,
                "Draw no titles; the facts for a caption are printed beside the file's name")
      ->needs(&figures);
}

}  // namespace

void add_report_command(CLI::App& program, invocation&) {
  CLI::App* command =
      program.add_subcommand("report", "Make a page, a summary, tables and plots from records. Needs no GPU");
  const auto given = std::make_shared<report_arguments>();
  command
      ->add_option(
          "records", given->records,
          "Records written by `ablate run`: files, or directories with record.json and further launches, "
          "record-*.json. Records of one device model, suite, seed and build count as launches of one run: "
          "ratios cover all. Others are shown side by side: with verdicts for two builds on one device, "
          "without for different devices. A directory of such directories (results) gives one page, "
          "index.html: variants ranked over all records, by operation, GPU, size and input")
      ->required()
      ->type_name("RECORD...");
  command
      ->add_option("--out", given->out,
                   "Directory for summary.md, report.html, the tables (*.csv) and the plots as Vega-Lite "
                   "specifications (plots/); with node and the packages in reports/package.json, also SVG "
                   "plots")
      ->type_name("DIR");
  CLI::Option* figures =
      command
          ->add_option("--figures", given->figures,
                       "Instead of a report, draw these plots as SVG, PDF and PNG: names, which may contain "
                       "*, or 'all'; without a name, or with 'list', print the names. PDF and PNG need "
                       "rsvg-convert or Chromium")
          ->type_name("NAME...");
  command
      ->add_option("--claims", given->claims,
                   "Claims to judge in the report (docs/claims.md) [those in suites/claims about the "
                   "measured operations]")
      ->type_name("FILE...");
  command
      ->add_option(
          "--suite", given->suites,
          "Suites whose question, ladder and exhibits replace the records' own, matched by suite name [for a "
          "record without any: suites/NAME.json beside the program's reports/]")
      ->type_name("FILE...");
  command
      ->add_option(
          "--floors", given->floors,
          "Noise floors from `ablate dev calibrate`, one file per device; report.html shows them for each case")
      ->type_name("FILE...");
  command
      ->add_option("--history", given->history,
                   "A history (`ablate dev history add`); the report also plots the cases' medians over time")
      ->type_name("FILE");
  add_figure_options(*command, *figures, *given);
  group_options(*command, "Figures for a paper",
                {"--variants", "--width", "--font", "--font-size", "--no-title"});
  command->callback([given, figures] {
    given->wants_figures = figures->count() > 0;
    make_report(*given);
  });
}

}  // namespace ablate
