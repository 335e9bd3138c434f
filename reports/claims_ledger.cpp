#include "reports/claims_ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text.h"

namespace ablate {
namespace {

using nlohmann::ordered_json;
using reports::table_header;
using reports::table_row;
using row = std::vector<std::string>;

constexpr claim_verdict verdicts[] = {claim_verdict::reproduced, claim_verdict::refuted,
                                      claim_verdict::inconclusive, claim_verdict::not_measured};

constexpr const char* how_intervals_are_made =
    "The interval of a ratio of times is what the 95 % confidence intervals of the two medians allow within "
    "one "
    "run; counts, occupancies and counters are taken as exact.";

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string with_unit(std::string text, const claim& c) {
  return c.quantity && !c.quantity->unit.empty() ? text + " " + c.quantity->unit : text;
}

std::string interval_text(const claim_figure& f) {
  return f.low < f.high ? fmt::format("{} to {}", number(f.low), number(f.high)) : "exact";
}

std::string figure_text(const claim& c, const claim_result& r) {
  if (!r.figure) return "-";
  if (r.pieces.size() == 1) {
    const claim_figure& f = r.pieces.front().figure;
    return with_unit(
        number(f.value) + (f.low < f.high ? fmt::format(" [{}, {}]", number(f.low), number(f.high)) : ""), c);
  }
  const auto [low, high] =
      std::minmax_element(r.pieces.begin(), r.pieces.end(),
                          [](const auto& a, const auto& b) { return a.figure.value < b.figure.value; });
  if (low->figure.value == high->figure.value)
    return with_unit(number(low->figure.value), c) + fmt::format(" in all {}", r.pieces.size());
  return with_unit(fmt::format("{} to {}, median {}", number(low->figure.value), number(high->figure.value),
                               number(r.figure->value)),
                   c);
}

std::string bounds_text(const std::optional<claim_bounds>& bounds) {
  if (!bounds) return "-";
  if (!bounds->at_most) return "at least " + number(*bounds->at_least);
  if (!bounds->at_least) return "at most " + number(*bounds->at_most);
  if (*bounds->at_least == *bounds->at_most) return number(*bounds->at_least);
  return fmt::format("{} to {}", number(*bounds->at_least), number(*bounds->at_most));
}

std::string prediction_word(claim_verdict verdict) {
  switch (verdict) {
    case claim_verdict::reproduced:
      return "as predicted";
    case claim_verdict::refuted:
      return "not as predicted";
    case claim_verdict::inconclusive:
      return "in part";
    case claim_verdict::not_measured:
      break;
  }
  return "open";
}

std::string prediction_text(const claim& c, const claim_result& r) {
  if (!c.prediction) return "-";
  return bounds_text(c.prediction) + (r.prediction ? ": " + prediction_word(*r.prediction) : "");
}

std::size_t count(const claim_ledger& ledger, claim_verdict verdict) {
  return static_cast<std::size_t>(std::count_if(ledger.entries.begin(), ledger.entries.end(),
                                                [&](const auto& e) { return e.result.verdict == verdict; }));
}

std::string counts_text(const claim_ledger& ledger) {
  std::string out = fmt::format("{} claims: ", ledger.entries.size());
  for (const claim_verdict verdict : verdicts)
    out +=
        fmt::format("{}{} {}", verdict == verdicts[0] ? "" : ", ", count(ledger, verdict), name_of(verdict));
  return out;
}

std::string title_of(const claim_ledger& ledger) {
  const record& r = ledger.evidence->facts;
  return fmt::format("{}, suite {}, {} ({})", r.device_name, r.suite_name, r.date, r.path.string());
}

/// The reasons why selected cases have no figure, each with its cases.
std::vector<std::pair<std::string, std::vector<std::string>>> by_reason(const claim_result& r) {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const auto& [id, reason] : r.missing) {
    const auto known = std::find_if(out.begin(), out.end(),
                                    [&, &why = reason](const auto& group) { return group.first == why; });
    auto& group = known == out.end() ? out.emplace_back(reason, std::vector<std::string>()) : *known;
    group.second.push_back(id);
  }
  return out;
}

std::string details(const claim& c, const claim_result& r) {
  std::string out = fmt::format("### {}\n\n{}\n\n{}, {}{}.", c.id, c.statement, c.document, c.section,
                                c.chip.empty() ? "" : "; about " + c.chip);
  if (!c.note.empty()) out += " " + c.note;
  out += fmt::format("\n\n**{}**: {}.\n\n", name_of(r.verdict), r.why);
  if (!r.pieces.empty()) {
    out += "<details><summary>figures and cases</summary>\n\n" +
           table_header({"case", "figure", "interval", "in the expectation"}, 1);
    for (const claim_result::piece& p : r.pieces) {
      const bool is_pair = c.quantity->counterpart && p.cases.size() == 2;
      const bool divides = c.quantity->compared_by == claim_quantity::comparison::ratio;
      const std::string cases = fmt::format("{}", fmt::join(p.cases, !is_pair  ? ", "
                                                                     : divides ? " over "
                                                                               : " minus "));
      out += table_row({cases, with_unit(number(p.figure.value), c), interval_text(p.figure),
                        std::string(name_of(p.place))});
    }
    out += "\n</details>\n\n";
  }
  for (const auto& [reason, cases] : by_reason(r))
    out +=
        fmt::format("- without a figure: {} ({} cases, the first {})\n", reason, cases.size(), cases.front());
  return r.missing.empty() ? out : out + "\n";
}

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

ordered_json word_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

ordered_json entry_json(const claim& c, const claim_result& r) {
  ordered_json out{
      {"id", c.id},
      {"source", {{"document", c.document}, {"section", c.section}}},
      {"statement", c.statement},
      {"about", word_or_null(c.chip)},
      {"verdict", name_of(r.verdict)},
      {"why", r.why},
      {"unit", c.quantity ? word_or_null(c.quantity->unit) : ordered_json()},
      {"figure", r.figure ? figure_json(*r.figure) : ordered_json()},
      {"expectation", bounds_json(c.expectation)},
      {"prediction", bounds_json(c.prediction)},
      {"prediction_outcome", r.prediction ? ordered_json(prediction_word(*r.prediction)) : ordered_json()},
      {"figures", ordered_json::array()},
      {"missing", ordered_json::array()}};
  for (const claim_result::piece& p : r.pieces) {
    ordered_json figure = figure_json(p.figure);
    figure["place"] = name_of(p.place);
    figure["cases"] = p.cases;
    out["figures"].push_back(std::move(figure));
  }
  for (const auto& [reason, cases] : by_reason(r))
    out["missing"].push_back({{"reason", reason}, {"cases", cases}});
  return out;
}

}  // namespace

std::vector<claim_ledger> ledgers_of(const std::vector<claim>& claims,
                                     const std::vector<claim_evidence>& records) {
  std::vector<claim_ledger> out;
  for (const claim_evidence& evidence : records) {
    out.push_back({&evidence, {}});
    for (const claim& c : claims) out.back().entries.push_back({&c, judge(c, evidence)});
  }
  return out;
}

std::string ledger_text(const std::vector<claim_ledger>& ledgers) {
  std::string out;
  for (const claim_ledger& ledger : ledgers) {
    std::vector<row> rows = {{"CLAIM", "VERDICT", "FIGURE", "EXPECTED", "PREDICTED", "WHY"}};
    for (const auto& [c, r] : ledger.entries)
      rows.push_back({c->id, std::string(name_of(r.verdict)), figure_text(*c, r), bounds_text(c->expectation),
                      prediction_text(*c, r), r.why});
    out += title_of(ledger) + "\n" + reports::columns(rows, "  ") + counts_text(ledger) + "\n\n";
  }
  return out + how_intervals_are_made + "\n";
}

std::string ledger_markdown(const std::vector<claim_ledger>& ledgers) {
  std::string out = fmt::format("# Claims\n\n{}\n\n", how_intervals_are_made);
  for (const claim_ledger& ledger : ledgers) {
    out += fmt::format("## {}\n\n{}.\n\n", title_of(ledger), counts_text(ledger));
    out += table_header({"claim", "statement", "verdict", "figure", "expected", "predicted"}, 6);
    for (const auto& [c, r] : ledger.entries)
      out += table_row({c->id, c->statement, std::string(name_of(r.verdict)), figure_text(*c, r),
                        bounds_text(c->expectation), prediction_text(*c, r)});
    out += "\n";
    for (const auto& [c, r] : ledger.entries) out += details(*c, r);
  }
  return out;
}

ordered_json ledger_json(const std::vector<claim_ledger>& ledgers) {
  ordered_json out{{"intervals", how_intervals_are_made}, {"records", ordered_json::array()}};
  for (const claim_ledger& ledger : ledgers) {
    const record& r = ledger.evidence->facts;
    ordered_json record{
        {"record", r.path.string()},      {"device", r.device_name}, {"chip", ledger.evidence->chip},
        {"suite", r.suite_name},          {"date", r.date},          {"counts", ordered_json::object()},
        {"claims", ordered_json::array()}};
    for (const claim_verdict verdict : verdicts)
      record["counts"][std::string(name_of(verdict))] = count(ledger, verdict);
    for (const auto& [c, result] : ledger.entries) record["claims"].push_back(entry_json(*c, result));
    out["records"].push_back(std::move(record));
  }
  return out;
}

}  // namespace ablate
