#include <fmt/format.h>

#include "reports/claims/claims_words.h"
#include "reports/text/text.h"

namespace ablate {

std::string ledger_text(const std::vector<claim_ledger>& ledgers) {
  std::string out;
  for (const claim_ledger& ledger : ledgers) {
    std::vector<std::vector<std::string>> rows = {
        {"CLAIM", "VERDICT", "FIGURE", "EXPECTED", "PREDICTED", "SUITE", "WHY"}};
    for (const auto& [c, record, r, others] : ledger.entries)
      rows.push_back({c->id, verdict_text(r), figure_text(*c, r), bounds_text(c->expectation),
                      prediction_text(*c, r), record ? record->facts.suite_name : "-", r.why});
    out += device_text(ledger) + "\n";
    for (const claim_evidence* record : ledger.records)
      out += fmt::format("  {}: suite {}, {}\n", record->facts.path.string(), record->facts.suite_name,
                         record->facts.date);
    out += reports::columns(rows, "  ") + counts_text(ledger) + "\n\n";
  }
  return out + how_intervals_are_made + "\n" + which_record_counts + "\n";
}

}  // namespace ablate
