#include "reports/claims/claims_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "reports/claims/claims_words.h"

namespace ablate {
namespace {

using reports::significant;
using reports::table_header;
using reports::table_row;

/// One case of a pair: a layer of the whole, and the whole.
struct composed_case {
  double layer_us, whole_us;
  double share;  ///< of the units of the whole that were measured
};

std::optional<composed_case> composed_of(const claim_quantity& quantity, const claim_evidence& evidence,
                                         const std::string& name) {
  const auto entry = std::find_if(evidence.entries.begin(), evidence.entries.end(),
                                  [&](const auto& of) { return of.at("name") == name; });
  if (entry == evidence.entries.end()) return std::nullopt;
  const claim_model& model = *quantity.model;
  const claim_measure units{quantity.measure.per, {}, 1};
  const figure_or_reason found[] = {figure_of(quantity.measure, *entry, evidence.architecture),
                                    figure_of(model.whole, *entry, evidence.architecture),
                                    figure_of(units, *entry, evidence.architecture)};
  std::array<claim_figure, 3> of{};
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto* figure = std::get_if<claim_figure>(&found[i]);
    if (!figure) return std::nullopt;
    of[i] = *figure;
  }
  const auto& [layer, whole, measured] = of;
  return composed_case{layer.value * whole.value, composed(model, layer).value * whole.value,
                       quantity.measure.per.empty() ? 1 : measured.value / whole.value};
}

std::string layer_cell(const composed_case& of) {
  const std::string time = significant(of.layer_us / 1e3);
  return of.share < 0.999 ? fmt::format("{}, of 1 / {:.0f}", time, 1 / of.share) : time;
}

std::string row_of(const claim_ledger::entry& e, const claim_result::piece& p, std::size_t device) {
  std::vector<std::string> cells = {linked_id(*e.of, device)};
  std::vector<std::string> wholes;
  for (const std::string& name : p.cases) {
    const auto of = composed_of(*e.of->quantity, *e.record, name);
    cells.push_back(of ? layer_cell(*of) : "-");
    wholes.push_back(of ? significant(of->whole_us / 1e6) : "-");
  }
  cells.insert(cells.end(), wholes.begin(), wholes.end());
  cells.push_back(figure_number(*e.of, p.figure));
  cells.push_back(e.of->published ? significant(*e.of->published) : bounds_text(e.of->expectation));
  cells.push_back(verdict_text(e.result));
  return table_row(cells);
}

std::string section_of(const claim_model& model, const std::string& rows) {
  std::string out = fmt::format("### {}\n\n", model.title);
  for (const std::string& assumption : model.assumptions) out += fmt::format("- {}\n", assumption);
  return out + "\n" +
         table_header({"claim", "a layer, ms, measured", "its counterpart", "the whole, s, modelled",
                       "its counterpart", "times faster, modelled", "published", "verdict"},
                      1) +
         rows + "\n";
}

}  // namespace

std::string models_markdown(const claim_ledger& ledger, std::size_t device) {
  std::vector<std::pair<const claim_model*, std::string>> rows;
  for (const claim_ledger::entry& e : ledger.entries) {
    if (!e.of->quantity || !e.of->quantity->model || !e.record) continue;
    const claim_model& model = *e.of->quantity->model;
    for (const claim_result::piece& p : e.result.pieces) {
      if (p.cases.size() != 2) continue;
      auto of_model = std::find_if(rows.begin(), rows.end(),
                                   [&](const auto& of) { return of.first->title == model.title; });
      if (of_model == rows.end()) of_model = rows.insert(rows.end(), {&model, ""});
      of_model->second += row_of(e, p, device);
    }
  }
  std::string out;
  for (const auto& [model, of_model] : rows) out += section_of(*model, of_model);
  return out;
}

}  // namespace ablate
