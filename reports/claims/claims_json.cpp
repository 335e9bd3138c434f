#include "reports/claims/claims_words.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using entries = std::vector<const claim_ledger::entry*>;

ordered_json bounds_json(const std::optional<claim_bounds>& bounds) {
  if (!bounds) return nullptr;
  ordered_json out = ordered_json::object();
  if (bounds->at_least) out["at_least"] = *bounds->at_least;
  if (bounds->at_most) out["at_most"] = *bounds->at_most;
  return out;
}

ordered_json figure_json(const claim_figure& f) {
  return {{"value", f.value}, {"low", f.low}, {"high", f.high}};
}

ordered_json figure_json(const std::optional<claim_figure>& f) {
  return f ? figure_json(*f) : ordered_json();
}

ordered_json word_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json wait_json(const std::optional<claim_wait>& wait) {
  if (!wait) return nullptr;
  return {{"operation", wait->operation}, {"lacks", word_or_null(wait->lacks)}};
}

ordered_json counts_json(const entries& of) {
  const auto counts = count_verdicts(of);
  ordered_json out;
  for (std::size_t v = 0; v < counts.size(); ++v) out[std::string(name_of(claim_verdicts[v]))] = counts[v];
  return out;
}

ordered_json entry_json(const claim_ledger::entry& e) {
  const claim& c = *e.of;
  const claim_result& r = e.result;
  ordered_json out{
      {"id", c.id},
      {"registered", c.registered},
      {"source", {{"document", c.document}, {"section", c.section}}},
      {"statement", c.statement},
      {"about", word_or_null(c.chip)},
      {"verdict", name_of(r.verdict)},
      {"why", r.why},
      {"measured", measured_day(e)},
      {"launches", r.launches},
      {"inputs", inputs_of(r)},
      {"waits_for", wait_json(c.waits_for)},
      {"record", e.record ? ordered_json(e.record->facts.path.string()) : ordered_json()},
      {"unit", c.quantity ? word_or_null(c.quantity->unit) : ordered_json()},
      {"figure", figure_json(r.figure)},
      {"expectation", bounds_json(c.expectation)},
      {"prediction", bounds_json(c.prediction)},
      {"prediction_outcome", r.prediction ? ordered_json(prediction_word(*r.prediction)) : ordered_json()},
      {"figures", ordered_json::array()},
      {"missing", ordered_json::array()},
      {"other_records", ordered_json::array()}};
  for (const claim_result::piece& p : r.pieces) {
    ordered_json figure = figure_json(p.figure);
    figure["place"] = name_of(p.place);
    figure["cases"] = p.cases;
    out["figures"].push_back(std::move(figure));
  }
  for (const auto& [reason, cases] : missing_by_reason(r))
    out["missing"].push_back({{"reason", reason}, {"cases", cases}});
  for (const auto& [record, result] : e.others)
    out["other_records"].push_back({{"record", record->facts.path.string()},
                                    {"verdict", name_of(result.verdict)},
                                    {"why", result.why},
                                    {"figure", figure_json(result.figure)}});
  return out;
}

}  // namespace

ordered_json ledger_json(const std::vector<claim_ledger>& ledgers, const claim_limits& limits) {
  ordered_json out{{"intervals", how_intervals_are_made(limits)},
                   {"records", which_record_counts},
                   {"devices", ordered_json::array()}};
  for (const claim_ledger& ledger : ledgers) {
    const claim_evidence& first = *ledger.records.front();
    ordered_json device{{"device", first.facts.device_name},
                        {"chip", first.chip},
                        {"records", ordered_json::array()},
                        {"counts", counts_json(all_entries(ledger))},
                        {"published", counts_json(published_entries(ledger))},
                        {"own", counts_json(own_entries(ledger))},
                        {"documents", ordered_json::array()},
                        {"claims", ordered_json::array()}};
    for (const claim_evidence* record : ledger.records)
      device["records"].push_back({{"record", record->facts.path.string()},
                                   {"suite", record->facts.suite_name},
                                   {"date", record->facts.date},
                                   {"launches", 1 + record->further.size()}});
    for (const auto& [document, of] : by_document(ledger))
      device["documents"].push_back({{"document", document}, {"counts", counts_json(of)}});
    for (const claim_ledger::entry& e : ledger.entries) device["claims"].push_back(entry_json(e));
    out["devices"].push_back(std::move(device));
  }
  return out;
}

}  // namespace ablate
