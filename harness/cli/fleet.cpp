#include "reports/fleet/fleet.h"

#include <fmt/format.h>

#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/plot_files.h"
#include "harness/cli/record_files.h"
#include "reports/fleet/plots.h"
#include "reports/text/json_text.h"
#include "reports/text/markdown_text.h"
#include "reports/text/terminal.h"
#include "reports/text/text_file.h"

namespace ablate {

namespace {

struct fleet_arguments {
  std::vector<std::string> records;
  std::string json, markdown, plots;
};

void show_fleet(const fleet_arguments& given) {
  std::vector<record> records;
  for (const std::filesystem::path& path : files_of_collections(given.records))
    records.push_back(read_record(path));
  const std::vector<fleet::product> products = fleet::fleet_of(records);
  if (!given.json.empty())
    reports::write_text_file(given.json, reports::json_text(fleet::fleet_json(products), 1) + "\n");
  if (!given.markdown.empty()) reports::write_markdown_file(given.markdown, fleet::fleet_markdown(products));
  if (!given.plots.empty()) write_plot_files(fleet::fleet_plots(products), given.plots);
  fmt::print("{}", fleet::fleet_text(products, reports::standard_output()));
}

}  // namespace

void add_fleet_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "fleet", "Show by how much equal GPUs differ, by the calibrations of their records. Needs no GPU");
  const auto given = std::make_shared<fleet_arguments>();
  command
      ->add_option("records", given->records,
                   "Records of any suites: files written by `ablate run` or `ablate merge`, directories that "
                   "hold a record.json, or directories of such ones (results/h200)")
      ->required()
      ->type_name("RECORD...");
  command->add_option("--json", given->json, "Write kinds, specimens and outliers as JSON")
      ->type_name("FILE");
  command
      ->add_option("--markdown", given->markdown,
                   "Write a table of all calibrations as Markdown, a column a specimen")
      ->type_name("FILE");
  command
      ->add_option("--plots", given->plots,
                   "Write a heat map of specimens by calibration, and the outliers, into this directory: "
                   "Vega-Lite specifications and, with node, SVG")
      ->type_name("DIR");
  command->footer(
      "GPUs of one product are of two kinds where a calibration divides them by a gap of 2 % or more and "
      "five times the spread on either side, with two or more on each. A specimen is named if a calibration "
      "of its is farther from its kind's median than 2 % and five median deviations. A ratio of two GPUs is "
      "no ratio of two kernels: compare what one GPU measured.");
  command->callback([given] { show_fleet(*given); });
}

}  // namespace ablate
