#include <fmt/format.h>

#include "base/text/text.h"
#include "reports/claims/claims_words.h"

namespace ablate {

std::string ledger_text(const std::vector<claim_ledger>& ledgers, const claim_limits& limits, bool all) {
  std::string out;
  for (const claim_ledger& ledger : ledgers) {
    std::vector<std::vector<std::string>> rows = {
        {"CLAIM", "VERDICT", "FIGURE", "EXPECTED", "PREDICTED", "SUITE", "WHY"}};
    std::size_t left_out = 0;
    for (const auto& [c, record, r, others] : ledger.entries) {
      if (!all && r.verdict == claim_verdict::not_measured) {
        ++left_out;
        continue;
      }
      rows.push_back({c->id, verdict_text(r), figure_text(*c, r), bounds_text(c->expectation),
                      prediction_text(*c, r), record ? record->facts.suite_name : "-", r.why});
    }
    out += device_text(ledger) + "\n";
    for (const claim_evidence* record : ledger.records)
      out += fmt::format("  {}: suite {}, {}\n", record->facts.path.string(), record->facts.suite_name,
                         record->facts.date);
    if (rows.size() > 1) out += reports::columns(rows, "  ");
    out += counts_text(ledger) + "\n";
    if (left_out > 0)
      out +=
          fmt::format("{} claims are not measured here; --all lists them with what is missing\n", left_out);
    out += "\n";
  }
  return out + how_intervals_are_made(limits) + "\n" + which_record_counts + "\n";
}

}  // namespace ablate
