#include "reports/ablation/interactions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/statistics/quantile.h"

namespace ablate::reports {
namespace {

using steps = std::vector<const switch_effect*>;

/// The steps of one workload by the case from which they lead.
std::map<const comparable_cases*, std::map<const measured_case*, steps>> steps_by_workload(
    const std::vector<switch_effect>& effects) {
  std::map<const comparable_cases*, std::map<const measured_case*, steps>> out;
  for (const switch_effect& e : effects) out[e.row][e.measured.from].push_back(&e);
  return out;
}

}  // namespace

std::vector<switch_square> switch_squares(const std::vector<switch_effect>& effects,
                                          const process_launches& processes) {
  const auto by_workload = steps_by_workload(effects);
  std::vector<switch_square> out;
  for (const switch_effect& first : effects) {
    const auto& from = by_workload.at(first.row);
    for (const switch_effect* second : from.at(first.measured.from)) {
      // Each square once: the effects of a workload stand in the order of its variants.
      if (!(&first < second) || second->change.name == first.change.name) continue;
      const auto after = from.find(first.measured.to);
      if (after == from.end()) continue;
      for (const switch_effect* last : after->second)
        if (last->change == second->change &&
            single_change(second->measured.to->switches, last->measured.to->switches) == first.change &&
            same_input(*second->measured.to, *last->measured.to))
          out.push_back({first.change, second->change, first.row, first.measured.from, last->measured.to,
                         processes.joint(*first.measured.from, *first.measured.to, *second->measured.to,
                                         *last->measured.to)});
    }
  }
  return out;
}

std::vector<interaction> interactions(const std::vector<switch_square>& squares) {
  std::vector<interaction> out;
  for (const switch_square& s : squares) {
    auto found = std::find_if(out.begin(), out.end(), [&](const interaction& i) {
      return (i.first == s.first && i.second == s.second) || (i.first == s.second && i.second == s.first);
    });
    if (found == out.end()) found = out.insert(out.end(), {s.first, s.second, {}, 0, 0, 0});
    found->squares.push_back(&s);
  }
  for (interaction& i : out) {
    std::vector<double> factors;
    for (const switch_square* s : i.squares) factors.push_back(s->measured.factor());
    const auto [least, greatest] = std::minmax_element(factors.begin(), factors.end());
    i.least = *least;
    i.greatest = *greatest;
    i.median = gate::median(factors);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::fabs(std::log(a.median)) > std::fabs(std::log(b.median));
  });
  return out;
}

}  // namespace ablate::reports
