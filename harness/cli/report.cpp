#include "reports/report.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.h"

namespace ablate {

namespace {

struct report_arguments {
  std::vector<std::string> records;
  std::string out, history;
};

}  // namespace

void add_report_command(CLI::App& program, invocation&) {
  CLI::App* command =
      program.add_subcommand("report", "Turn records into a summary, tables and plots. Needs no GPU");
  const auto given = std::make_shared<report_arguments>();
  command
      ->add_option("records", given->records,
                   "Record files written by `ablate run`, or directories that hold a record.json; several "
                   "are laid side by side, those of one device, suite and build as launches of it")
      ->required()
      ->type_name("RECORD...");
  command
      ->add_option("--out", given->out,
                   "Directory for summary.md, the tables (*.csv) and plots/: Vega-Lite specifications "
                   "always; SVG and report.html, which opens without a network, where node and the packages "
                   "of reports/package.json are installed")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--history", given->history,
                   "A history (`ablate history add`): the cases' medians by date are plotted too")
      ->type_name("FILE");
  command->callback([given] {
    std::vector<std::filesystem::path> records;
    for (const std::string& record : given->records) {
      std::error_code error;
      const bool is_directory = std::filesystem::is_directory(record, error);
      records.push_back(is_directory ? std::filesystem::path(record) / "record.json"
                                     : std::filesystem::path(record));
    }
    write_report(
        records, given->out,
        given->history.empty() ? std::nullopt : std::optional<std::filesystem::path>(given->history));
  });
}

}  // namespace ablate
