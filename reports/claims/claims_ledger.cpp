#include "reports/claims/claims_ledger.h"

#include <algorithm>
#include <tuple>

namespace ablate {
namespace {

using judged_on = claim_ledger::judged_on;

/// More is better. The date is ISO 8601.
auto weight_of(const judged_on& j) {
  return std::tuple(j.result.workloads, j.result.cases, j.result.missing.size(), j.record->facts.date);
}

bool has_figures(const judged_on& j) { return !j.result.pieces.empty() || !j.result.missing.empty(); }

claim_ledger::entry entry_of(const claim& c, const std::vector<const claim_evidence*>& records,
                             const claim_limits& limits) {
  std::vector<judged_on> all;
  for (const claim_evidence* record : records) all.push_back({record, judge(c, *record, limits)});
  const auto best = std::max_element(all.begin(), all.end(), [](const judged_on& a, const judged_on& b) {
    return weight_of(a) < weight_of(b);
  });
  claim_ledger::entry out{&c, has_figures(*best) ? best->record : nullptr, std::move(best->result), {}};
  all.erase(best);
  for (judged_on& other : all)
    if (!other.result.pieces.empty()) out.others.push_back(std::move(other));
  return out;
}

}  // namespace

std::vector<claim_ledger> ledgers_of(const std::vector<claim>& claims,
                                     const std::vector<claim_evidence>& records, const claim_limits& limits) {
  std::vector<claim_ledger> out;
  for (const claim_evidence& evidence : records) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const claim_ledger& ledger) {
      return ledger.records.front()->facts.device_name == evidence.facts.device_name;
    });
    (same == out.end() ? out.emplace_back() : *same).records.push_back(&evidence);
  }
  for (claim_ledger& ledger : out)
    for (const claim& c : claims) ledger.entries.push_back(entry_of(c, ledger.records, limits));
  return out;
}

}  // namespace ablate
