#include "reports/ablation/interactions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/record/clocks.h"
#include "base/statistics/quantile.h"

namespace ablate::reports {
namespace {

using steps = std::vector<const switch_effect*>;

/// The steps of one workload, keyed by the case they start from.
std::map<const comparable_cases*, std::map<const measured_case*, steps>> steps_by_workload(
    const std::vector<switch_effect>& effects) {
  std::map<const comparable_cases*, std::map<const measured_case*, steps>> out;
  for (const switch_effect& e : effects) out[e.row][e.measured.from].push_back(&e);
  return out;
}

/// The speed-up of both over the product of the individual ones, in cycles; nothing if no two clocks differ.
std::optional<double> joint_in_cycles(const measured_case& neither, const measured_case& first,
                                      const measured_case& second, const measured_case& both) {
  std::vector<double> clocks, cycles;
  for (const measured_case* c : {&neither, &first, &second, &both}) {
    const auto mhz = sm_clock_mhz(*c);
    if (!mhz || !(*mhz > 0)) return std::nullopt;
    clocks.push_back(*mhz);
    cycles.push_back(c->time.median_us * *mhz);
  }
  const auto [low, high] = std::minmax_element(clocks.begin(), clocks.end());
  if (!are_unlike(*low, *high)) return std::nullopt;
  return cycles[1] * cycles[2] / (cycles[0] * cycles[3]);
}

}  // namespace

std::vector<switch_square> switch_squares(const std::vector<switch_effect>& effects,
                                          const process_launches& processes) {
  const auto by_workload = steps_by_workload(effects);
  std::vector<switch_square> out;
  for (const switch_effect& first : effects) {
    const auto& from = by_workload.at(first.row);
    for (const switch_effect* second : from.at(first.measured.from)) {
      // Each square only once: the effects of a workload are in the order of its variants.
      if (!(&first < second) || second->change.name == first.change.name) continue;
      const auto after = from.find(first.measured.to);
      if (after == from.end()) continue;
      for (const switch_effect* last : after->second)
        if (last->change == second->change &&
            single_change(second->measured.to->switches, last->measured.to->switches) == first.change &&
            same_input(*second->measured.to, *last->measured.to))
          out.push_back({first.change, second->change, first.row, first.measured.from, last->measured.to,
                         processes.joint(*first.measured.from, *first.measured.to, *second->measured.to,
                                         *last->measured.to),
                         joint_in_cycles(*first.measured.from, *first.measured.to, *second->measured.to,
                                         *last->measured.to)});
    }
  }
  std::vector<judgment*> verdicts;
  for (switch_square& s : out) verdicts.push_back(&s.measured.verdict);
  control_false_discoveries(verdicts, processes.limits());
  return out;
}

std::vector<interaction> interactions(const std::vector<switch_square>& squares) {
  std::vector<interaction> out;
  for (const switch_square& s : squares) {
    auto found = std::find_if(out.begin(), out.end(), [&](const interaction& i) {
      return (i.first == s.first && i.second == s.second) || (i.first == s.second && i.second == s.first);
    });
    if (found == out.end()) found = out.insert(out.end(), {s.first, s.second, {}, 0, 0, 0, 0, 0});
    found->squares.push_back(&s);
  }
  for (interaction& i : out) {
    std::vector<double> factors, in_cycles;
    for (const switch_square* s : i.squares) {
      factors.push_back(s->measured.factor());
      in_cycles.push_back(s->in_cycles.value_or(factors.back()));
      i.unlike_clocks += s->in_cycles.has_value();
    }
    const auto [least, greatest] = std::minmax_element(factors.begin(), factors.end());
    i.least = *least;
    i.greatest = *greatest;
    i.median = gate::median(factors);
    i.median_in_cycles = gate::median(in_cycles);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::fabs(std::log(a.median)) > std::fabs(std::log(b.median));
  });
  return out;
}

}  // namespace ablate::reports
