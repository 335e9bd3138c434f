#include "reports/ablation/worth.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "reports/statistics/quantile.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

using effects = std::vector<const switch_effect*>;
using gate::verdict;

constexpr std::size_t most_values = 4;  // listed in a cell

template <class Value>
std::set<std::string> distinct(const effects& of, Value value) {
  std::set<std::string> out;
  for (const switch_effect* e : of) out.insert(value(*e));
  return out;
}

bool are_disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::none_of(a.begin(), a.end(), [&](const auto& value) { return b.contains(value); });
}

/// Values of an axis, in its order, against all others that were measured.
std::string axis_words(const operation_view& view, const std::string& axis, const std::set<std::string>& in,
                       const std::set<std::string>& others) {
  std::vector<std::string> values, all;
  for (const std::string& value : view.values(axis)) {
    if (in.contains(value)) values.push_back(value);
    if (in.contains(value) || others.contains(value)) all.push_back(value);
  }
  if (view.is_integer(axis)) {
    const auto ends = [&](std::size_t at) {
      return std::equal(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(at));
    };
    if (values.size() == 1) return axis + " " + values.front();
    if (ends(0)) return axis + " ≤ " + values.back();
    if (ends(all.size() - values.size())) return axis + " ≥ " + values.front();
  }
  if (values.size() <= most_values) return fmt::format("{} {}", axis, fmt::join(values, ", "));
  return fmt::format("{} values of {}", values.size(), axis);
}

std::string where(const operation_view& view, const effects& with, const effects& without) {
  if (without.empty()) return "";
  std::vector<std::string> axes;
  if (view.swept) axes.push_back(*view.swept);
  for (const std::string& axis : view.axes)
    if (axis != view.swept) axes.push_back(axis);
  for (const std::string& axis : axes) {
    const auto value = [&](const switch_effect& e) { return e.row->value(axis); };
    const auto in = distinct(with, value), others = distinct(without, value);
    if (are_disjoint(in, others)) return axis_words(view, axis, in, others);
  }
  const auto state = [](const switch_effect& e) { return e.row->cache_state; };
  const auto states = distinct(with, state);
  if (are_disjoint(states, distinct(without, state))) return fmt::format("{}", fmt::join(states, ", "));
  const auto pair = [](const switch_effect& e) {
    return fmt::format("{} → {}", e.measured.from->variant, e.measured.to->variant);
  };
  const auto pairs = distinct(with, pair);
  if (pairs.size() <= 2 && are_disjoint(pairs, distinct(without, pair)))
    return fmt::format("{}", fmt::join(pairs, ", "));
  if (with.size() == 1) return workload_labels(view, view.varying_axes()).of(with.front()->row->axes);
  if (!view.swept) return "";
  const auto size = [&](const switch_effect& e) { return e.row->value(*view.swept); };
  const auto sizes = distinct(with, size), others = distinct(without, size);
  std::vector<std::string> ordered;
  for (const std::string& value : view.values(*view.swept))
    if (sizes.contains(value)) ordered.push_back(value);
  if (ordered.size() == 1)
    return others.size() == 1 ? "" : fmt::format("some at {} {}", *view.swept, ordered.front());
  return fmt::format("some at {} {} to {}", *view.swept, ordered.front(), ordered.back());
}

switch_worth worth_of(const operation_view& view, const switch_change& change, effects of) {
  std::vector<double> ratios, in_cycles;
  std::size_t unlike_clocks = 0;
  for (const switch_effect* e : of) {
    ratios.push_back(e->measured.ratio());
    const auto cycles = e->measured.in_cycles();
    unlike_clocks += cycles.has_value();
    in_cycles.push_back(cycles.value_or(ratios.back()));
  }
  const auto [worst, best] = std::minmax_element(ratios.begin(), ratios.end());
  switch_worth out{change, {},    *worst,        gate::median(ratios),   *best,
                   {},     false, unlike_clocks, gate::median(in_cycles)};
  for (const verdict word : {verdict::faster, verdict::slower, verdict::same, verdict::inconclusive}) {
    effects with, without;
    for (const switch_effect* e : of) (e->measured.said.word == word ? with : without).push_back(e);
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
  return e.measured.said.word == verdict::faster || e.measured.said.word == verdict::slower;
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
        const switch_effect& now = *found->second;
        if (last && last->measured.said.word != now.measured.said.word)
          out.push_back({now.change, pair.first, pair.second, sweep.axis, last->row->value(sweep.axis),
                         row->value(sweep.axis), now.measured.said.word == verdict::faster, row});
        last = &now;
      }
    }
  return out;
}

}  // namespace ablate::reports
