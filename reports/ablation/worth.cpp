#include "reports/ablation/worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/statistics/quantile.h"
#include "reports/views/where.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

using effects = std::vector<const switch_effect*>;
using gate::verdict;

workload_rows rows_of(const effects& of) {
  workload_rows out;
  for (const switch_effect* e : of) out.push_back(e->row);
  return out;
}

/// The pairs of variants, where few had it and none of the others.
std::string pairs_of(const effects& with, const effects& without) {
  const auto distinct = [](const effects& of) {
    std::set<std::string> out;
    for (const switch_effect* e : of)
      out.insert(fmt::format("{} → {}", e->measured.from->variant, e->measured.to->variant));
    return out;
  };
  const std::set<std::string> pairs = distinct(with), others = distinct(without);
  const bool set_apart =
      std::none_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return others.contains(pair); });
  return pairs.size() <= 2 && set_apart ? fmt::format("{}", fmt::join(pairs, ", ")) : "";
}

std::string where(const operation_view& view, const effects& with, const effects& without) {
  if (without.empty()) return "";
  const workload_rows rows = rows_of(with), others = rows_of(without);
  if (std::string apart = set_apart_by(view, rows, others); !apart.empty()) return apart;
  if (std::string pairs = pairs_of(with, without); !pairs.empty()) return pairs;
  if (with.size() == 1) return workload_labels(view, view.varying_axes()).of(with.front()->row->axes);
  return "";
}

switch_worth worth_of(const operation_view& view, const switch_change& change, effects of) {
  std::vector<double> ratios, in_cycles;
  std::size_t unlike_clocks = 0, unsteady = 0;
  double max_moved_pct = 0;
  for (const switch_effect* e : of) {
    ratios.push_back(e->measured.ratio());
    const auto cycles = e->measured.in_cycles();
    unlike_clocks += cycles.has_value();
    in_cycles.push_back(cycles.value_or(ratios.back()));
    unsteady += e->measured.from_moved_pct > unsteady_pct;
    max_moved_pct = std::max(max_moved_pct, e->measured.from_moved_pct);
  }
  const auto [worst, best] = std::minmax_element(ratios.begin(), ratios.end());
  switch_worth out{change,       {},    *worst,        gate::median(ratios),    *best,
                   {},           false, unlike_clocks, gate::median(in_cycles), unsteady,
                   max_moved_pct};
  for (const verdict word : {verdict::faster, verdict::slower, verdict::same, verdict::inconclusive}) {
    effects with, without;
    for (const switch_effect* e : of) (e->measured.verdict.word == word ? with : without).push_back(e);
    if (!with.empty()) out.words.push_back({word, with.size(), where(view, with, without)});
  }
  std::stable_sort(out.words.begin(), out.words.end(),
                   [](const auto& a, const auto& b) { return a.cases > b.cases; });
  out.unequal_quality =
      std::any_of(of.begin(), of.end(), [](const switch_effect* e) { return e->unequal_quality; });
  out.effects = std::move(of);
  return out;
}

bool is_sure(const switch_effect& e) {
  return e.measured.verdict.word == verdict::faster || e.measured.verdict.word == verdict::slower;
}

}  // namespace

std::vector<switch_worth> switch_worths(const operation_view& view, const std::vector<switch_effect>& all) {
  std::vector<std::pair<switch_change, effects>> by_change;
  for (const switch_effect& e : all) {
    auto found = std::find_if(by_change.begin(), by_change.end(),
                              [&](const auto& entry) { return entry.first == e.change; });
    if (found == by_change.end()) found = by_change.insert(by_change.end(), {e.change, {}});
    found->second.push_back(&e);
  }
  std::vector<switch_worth> out;
  for (auto& [change, of] : by_change) out.push_back(worth_of(view, change, std::move(of)));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.median < b.median; });
  return out;
}

std::vector<crossover> crossovers(const operation_view& view, const std::vector<switch_effect>& all) {
  std::map<std::pair<std::string, std::string>, std::map<const comparable_cases*, const switch_effect*>>
      by_pair;
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const switch_effect& e : all) {
    const std::pair key{e.measured.from->variant, e.measured.to->variant};
    auto& here = by_pair[key];
    if (here.empty()) pairs.push_back(key);
    here.emplace(e.row, &e);
  }
  std::vector<crossover> out;
  const std::vector<scaling_group> sweeps = view.scaling_groups(2);
  for (const auto& pair : pairs)
    for (const scaling_group& sweep : sweeps) {
      const auto& here = by_pair.at(pair);
      const switch_effect* last = nullptr;
      for (const comparable_cases* row : sweep.points) {
        const auto found = here.find(row);
        if (found == here.end() || !is_sure(*found->second)) continue;
        const switch_effect& current = *found->second;
        if (last && last->measured.verdict.word != current.measured.verdict.word)
          out.push_back({current.change, pair.first, pair.second, sweep.axis, last->row->value(sweep.axis),
                         row->value(sweep.axis), current.measured.verdict.word == verdict::faster, row});
        last = &current;
      }
    }
  return out;
}

}  // namespace ablate::reports
