#include "reports/claims/claims_chips.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text/text.h"
#include "reports/claims/claims_words.h"

namespace ablate {
namespace {

using reports::table_header;
using reports::table_row;
using entries = std::vector<const claim_ledger::entry*>;

std::string counts_table(const std::vector<claim_ledger>& ledgers) {
  std::string out =
      table_header({"claims", "chip", "all", "reproduced", "refuted", "inconclusive", "not measured"}, 2);
  const auto add = [&](const char* kind, entries (*of)(const claim_ledger&)) {
    for (const claim_ledger& ledger : ledgers) {
      const entries these = of(ledger);
      if (these.empty()) continue;
      std::vector<std::string> cells = {kind, ledger.records.front()->chip, std::to_string(these.size())};
      for (const std::size_t count : count_verdicts(these)) cells.push_back(std::to_string(count));
      out += table_row(cells);
    }
  };
  add("published", published_entries);
  add("our own", own_entries);
  return out + "\n";
}

/// "opposite" where one device reproduces what another refutes, "the same" where all have one verdict.
std::string_view agreement_of(const entries& of) {
  const auto has = [&](claim_verdict verdict) {
    return std::any_of(of.begin(), of.end(), [&](const auto* e) { return e->result.verdict == verdict; });
  };
  if (has(claim_verdict::reproduced) && has(claim_verdict::refuted)) return "opposite";
  const bool same = std::all_of(
      of.begin(), of.end(), [&](const auto* e) { return e->result.verdict == of.front()->result.verdict; });
  return same ? "the same" : "-";
}

std::string verdict_cell(const claim_ledger::entry& e, const std::string& link) {
  if (e.result.verdict == claim_verdict::not_measured) return "-";
  const std::string verdict(name_of(e.result.verdict)), marks = marks_of(e.result);
  return (link.empty() ? verdict : fmt::format("[{}]({})", verdict, link)) +
         (marks.empty() ? "" : ", " + marks) + ", " + measured_day(e);
}

}  // namespace

std::string chips_markdown(const std::vector<claim_ledger>& ledgers, const claim_link& link) {
  std::vector<std::string> header = {"claim", "source", "registered"};
  for (const claim_ledger& ledger : ledgers) header.push_back(ledger.records.front()->chip);
  header.emplace_back("verdicts");
  std::string rows;
  for (std::size_t i = 0; i < ledgers.front().entries.size(); ++i) {
    const claim& c = *ledgers.front().entries[i].of;
    entries of;
    std::vector<std::string> cells = {c.id, c.document, c.registered};
    for (std::size_t device = 0; device < ledgers.size(); ++device) {
      const claim_ledger::entry& e = ledgers[device].entries[i];
      of.push_back(&e);
      cells.push_back(verdict_cell(e, link(device, c)));
    }
    cells.emplace_back(agreement_of(of));
    const bool is_judged = std::any_of(
        of.begin(), of.end(), [](const auto* e) { return e->result.verdict != claim_verdict::not_measured; });
    if (is_judged) rows += table_row(cells);
  }
  return "## Verdicts by chip\n\n" + counts_table(ledgers) + table_header(header, header.size()) + rows +
         "\n";
}

}  // namespace ablate
