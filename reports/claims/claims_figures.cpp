#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "reports/claims/claims_cases.h"
#include "reports/claims/claims_words.h"

namespace ablate {
namespace {

using reports::table_header;
using reports::table_row;

/// "`voxelize/*/points=*/@cold-clean`, each over global_atomic"
std::string pattern_text(const claim& c, const grouped_cases& grouped) {
  std::string out = grouped.pattern.empty() ? "" : "`" + grouped.pattern + "`";
  if (!grouped.counterpart.empty())
    out += fmt::format(", each {} {}",
                       c.quantity->compared_by == claim_quantity::comparison::ratio ? "over" : "minus",
                       grouped.counterpart);
  return out;
}

/// Many cases as one figure: how many, and which words replace the stars.
std::string aggregated(const claim& c, const claim_result::piece& p) {
  std::vector<std::vector<std::string>> cases;
  for (const std::string& id : p.cases) cases.push_back({id});
  const grouped_cases grouped = group_cases(cases);
  return fmt::format("{} cases {}: {}\n\n", cases.size(), pattern_text(c, grouped),
                     fmt::join(grouped.words, "; "));
}

std::string figures_table(const claim& c, const claim_result& r) {
  std::vector<std::vector<std::string>> cases;
  for (const claim_result::piece& p : r.pieces) cases.push_back(p.cases);
  const grouped_cases grouped = group_cases(cases);
  std::string out = pattern_text(c, grouped) + "\n\n" +
                    table_header({"case", "figure", "interval", "in the expectation"}, 1);
  for (std::size_t i = 0; i < r.pieces.size(); ++i) {
    const claim_result::piece& p = r.pieces[i];
    out += table_row({grouped.labels[i].empty() ? "-" : grouped.labels[i], figure_number(c, p.figure),
                      interval_text(p.figure), std::string(name_of(p.place))});
  }
  return out + "\n";
}

std::string figures(const claim& c, const claim_result& r) {
  if (r.pieces.empty()) return "";
  return c.quantity->aggregate == claim_quantity::aggregation::each ? figures_table(c, r)
                                                                    : aggregated(c, r.pieces.front());
}

std::string section_of(const claim_ledger::entry& e) {
  const claim& c = *e.of;
  const claim_result& r = e.result;
  std::string out = fmt::format("### {}\n\n{} {}, {}{}.", c.id, c.statement, c.document, c.section,
                                c.chip.empty() ? "" : "; about " + c.chip);
  if (!c.note.empty()) out += " " + c.note;
  out += fmt::format(" Registered {}.", c.registered);
  out += fmt::format(
      "\n\n**{}**{}: {}.\n\n", verdict_text(r),
      r.pieces.empty() ? "" : fmt::format(" by suite {} of {}", e.record->facts.suite_name, measured_text(e)),
      r.why);
  out += figures(c, r);
  std::string remarks;
  for (const auto& [reason, cases] : missing_by_reason(r))
    remarks +=
        fmt::format("- without a figure: {} ({} cases, the first {})\n", reason, cases.size(), cases.front());
  for (const auto& [record, result] : e.others)
    remarks += fmt::format("- suite {} too: {}, {} ({})\n", record->facts.suite_name, name_of(result.verdict),
                           figure_text(c, result), result.why);
  return remarks.empty() ? out : out + remarks + "\n";
}

}  // namespace

std::vector<claim_figures_page> figures_markdown(const std::vector<claim_ledger>& ledgers) {
  std::vector<claim_figures_page> out;
  for (const claim_ledger& ledger : ledgers) {
    std::vector<std::string> begun;
    for (const claim_ledger::entry& e : ledger.entries) {
      const std::string file = figures_file(*e.of);
      auto page = std::find_if(out.begin(), out.end(), [&](const auto& p) { return p.file == file; });
      if (page == out.end())
        page =
            out.insert(out.end(), {file, fmt::format("# Figures of the claims: {}\n\nThe verdicts stand in "
                                                     "[the ledger](../claims.md).\n\n",
                                                     e.of->list)});
      if (std::find(begun.begin(), begun.end(), file) == begun.end()) {
        page->text += fmt::format("## {}\n\n", device_text(ledger));
        begun.push_back(file);
      }
      page->text += section_of(e);
    }
  }
  return out;
}

}  // namespace ablate
