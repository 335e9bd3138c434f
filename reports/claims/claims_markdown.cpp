#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text/text.h"
#include "reports/claims/claims_chips.h"
#include "reports/claims/claims_models.h"
#include "reports/claims/claims_words.h"

namespace ablate {
namespace {

using reports::table_header;
using reports::table_row;
using entries = std::vector<const claim_ledger::entry*>;

std::string counts_row(const std::string& name, const entries& of) {
  std::vector<std::string> cells = {name, std::to_string(of.size())};
  for (const std::size_t count : count_verdicts(of)) cells.push_back(std::to_string(count));
  return table_row(cells);
}

std::string documents_table(const claim_ledger& ledger) {
  std::string out =
      table_header({"source", "claims", "reproduced", "refuted", "inconclusive", "not measured"}, 1);
  for (const auto& [document, of] : by_document(ledger)) out += counts_row(document, of);
  // What others published and what we predicted ourselves say different things about the kernels: no sum of
  // both.
  if (own_entries(ledger).empty() || published_entries(ledger).empty())
    out += counts_row("all", all_entries(ledger));
  else
    out += counts_row("published", published_entries(ledger));
  return out + "\n";
}

std::string records_table(const claim_ledger& ledger) {
  std::string out = table_header({"suite", "record", "measured", "claims that it answers"}, 3);
  for (const claim_evidence* record : ledger.records) {
    const auto answers = std::count_if(ledger.entries.begin(), ledger.entries.end(), [&](const auto& e) {
      return e.record == record && !e.result.pieces.empty();
    });
    out += table_row(
        {record->facts.suite_name, record->facts.path.string(), record->facts.date, std::to_string(answers)});
  }
  return out + "\n";
}

/// Which operations claims wait for, or nothing.
std::string waits_table(const claim_ledger& ledger) {
  std::map<std::string, std::vector<std::string>> by_operation;
  for (const claim_ledger::entry& e : ledger.entries)
    if (e.of->waits_for) by_operation[e.of->waits_for->operation].push_back(e.of->id);
  if (by_operation.empty()) return "";
  std::string out = table_header({"operation that claims wait for", "claims"}, 2);
  for (const auto& [operation, ids] : by_operation)
    out += table_row({operation, fmt::format("{}", fmt::join(ids, ", "))});
  return out + "\n";
}

std::string claims_table(const entries& of, std::size_t device) {
  std::string out = table_header({"claim", "statement", "about", "verdict", "figure", "expected", "predicted",
                                  "suite", "registered", "measured"},
                                 10);
  for (const claim_ledger::entry* e : of)
    out +=
        table_row({linked_id(*e->of, device), e->of->statement, e->of->chip.empty() ? "-" : e->of->chip,
                   verdict_text(e->result), e->result.figure ? figure_text(*e->of, e->result) : e->result.why,
                   bounds_text(e->of->expectation), prediction_text(*e->of, e->result),
                   e->record ? e->record->facts.suite_name : "-", e->of->registered, measured_text(*e)});
  return out + "\n";
}

}  // namespace

std::string figures_link(const claim& c, std::size_t device) {
  std::string anchor;
  for (const char letter : c.id)
    if (std::isalnum(static_cast<unsigned char>(letter)) || letter == '-' || letter == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (device) anchor += "-" + std::to_string(device);
  return fmt::format("{}#{}", figures_file(c), anchor);
}

std::string linked_id(const claim& c, std::size_t device) {
  return fmt::format("[{}]({})", c.id, figures_link(c, device));
}

std::string ledger_markdown(const std::vector<claim_ledger>& ledgers, const claim_limits& limits) {
  std::string out = fmt::format("# Claims\n\n{} {}\n\n", how_intervals_are_made(limits), which_record_counts);
  if (ledgers.size() > 1)
    out +=
        chips_markdown(ledgers, [&](std::size_t device, const claim& c) { return figures_link(c, device); });
  for (std::size_t device = 0; device < ledgers.size(); ++device) {
    const claim_ledger& ledger = ledgers[device];
    out += fmt::format("## {}\n\n{}.\n\n", device_text(ledger), counts_text(ledger));
    out += documents_table(ledger) + records_table(ledger) + waits_table(ledger);
    for (const auto& [document, of] : by_document(ledger))
      out += fmt::format("### {}\n\n", document) + claims_table(of, device);
    out += models_markdown(ledger, device);
  }
  return out;
}

}  // namespace ablate
