#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "harness/cli/commands.h"
#include "reports/quotes/document.h"
#include "reports/quotes/quoted_figure.h"
#include "reports/text/text_file.h"

namespace ablate {
namespace {

struct quote_arguments {
  std::string document, quotes;
  bool check = false;
};

/// 0 where the document quoted the records as they are, or does now; 1 where it does not.
int quote(const quote_arguments& given) {
  const reports::quoted_document quoted = reports::quote_figures(given.document, given.quotes);
  const std::vector<reports::number_in_text> unheld = reports::numbers_in(quoted.bare);
  for (const auto& [line, number] : unheld)
    fmt::print("{}: line {}: nothing holds {} to a record\n", given.document, line, number);
  const bool is_stale = quoted.text != reports::read_text_file(given.document);
  if (is_stale && given.check)
    fmt::print("{}: has figures that are not those of the records\n", given.document);
  if (is_stale && !given.check) reports::write_text_file(given.document, quoted.text);
  return !unheld.empty() || (is_stale && given.check) ? 1 : 0;
}

}  // namespace

void add_quote_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "quote", "Update the figures in a document from the records that it quotes. Needs no GPU");
  const auto given = std::make_shared<quote_arguments>();
  command->add_option("document", given->document, "A Markdown file, which is rewritten")
      ->required()
      ->type_name("DOCUMENT");
  command
      ->add_option("--quotes", given->quotes,
                   "Where each figure is, and how it is computed (docs/quotes.md); a file beside the records")
      ->required()
      ->type_name("FILE");
  command->add_flag("--check", given->check, "Leave the document as it is");
  command->footer(
      "Exit code 1 if a number in the document is neither quoted nor listed as not measured; with --check, "
      "also if a figure is stale.");
  command->callback([given, &called] { called.exit_code = quote(*given); });
}

}  // namespace ablate
