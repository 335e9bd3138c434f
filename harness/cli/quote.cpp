#include <fmt/format.h>

#include <memory>

#include "base/text/plain_text.h"
#include "base/text/text_file.h"
#include "harness/cli/commands.h"
#include "reports/quotes/document.h"

namespace ablate {
namespace {

struct quote_arguments {
  std::vector<std::string> documents;
  bool check = false, write = false;
};

/// The marks with their figures, or what is wrong with them.
int quote(const quote_arguments& given) {
  reports::quote_sources sources;
  bool has_fault = false;
  for (const std::string& path : given.documents) {
    std::string text = reports::read_text_file(path);
    reports::quoted_document quoted = reports::read_quotes(text, path, sources);
    if (given.write && quoted.text != text) {
      reports::write_text_file(path, quoted.text);
      quoted = reports::read_quotes(quoted.text, path, sources);
    }
    if (!given.check && !given.write)
      for (const reports::quoted_mark& mark : quoted.marks)
        fmt::print("{}:{}: {}  {}\n", path, mark.line, mark.expected, reports::plain_text(mark.query));
    for (const auto& [line, says] : quoted.faults)
      fmt::print("{}:{}: {}\n", path, line, reports::plain_text(says));
    has_fault |= !quoted.faults.empty();
  }
  return has_fault ? 1 : 0;
}

}  // namespace

void add_quote_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "quote", "Check the marked figures of documents against the records that they name. Needs no GPU");
  const auto given = std::make_shared<quote_arguments>();
  command->add_option("document", given->documents, "Markdown files with marks (docs/quotes.md)")
      ->required()
      ->type_name("DOCUMENT");
  const auto check = command->add_flag("--check", given->check, "Print only wrong figures, a line each");
  command->add_flag("--write", given->write, "Write the records' figures into the documents")
      ->excludes(check);
  command->footer(
      "Exit code 1 if a figure differs from its record, a claim about several cases lacks their figures, or "
      "a number is neither marked nor listed as not measured.");
  command->callback([given, &called] { called.exit_code = quote(*given); });
}

}  // namespace ablate
