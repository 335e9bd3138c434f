#include "harness/gate/counter_gate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "harness/counters/metric_groups.h"
#include "harness/gate/launch.h"
#include "reports/gate/quantile.h"

namespace ablate::gate {
namespace {

/// Of one counter of one case, those that could be read.
std::vector<double> readings_of(const std::vector<record>& records, const std::string& name,
                                const std::string& counter) {
  std::vector<double> out;
  for (const record& r : records)
    if (const measured_case* c = find_case(r, name))
      if (const auto value = c->counters.value(counter)) out.push_back(*value);
  return out;
}

double percent_between(double from, double to) {
  if (from == to) return 0;
  return from == 0 ? std::numeric_limits<double>::infinity() : 100 * (to / from - 1);
}

double widest_pct(const std::vector<double>& readings) {
  const auto [low, high] = std::minmax_element(readings.begin(), readings.end());
  return percent_between(*low, *high);
}

std::string first_reason(const std::vector<record>& records) {
  for (const record& r : records)
    for (const measured_case& c : r.cases)
      if (!c.counters.reason.empty()) return c.counters.reason;
  return "the records hold none of the policy's counters";
}

}  // namespace

std::string counter_groups_of(const gate_policy& policy) {
  std::vector<std::string> groups;
  for (const auto& [counter, tolerance, slack] : policy.counters) {
    // The first group that has it: each is one pass.
    for (const counter_group& group : counters().groups) {
      const auto held = group.metrics_on(counters().silicon.back());
      if (std::find(held.begin(), held.end(), counter) == held.end()) continue;
      if (std::find(groups.begin(), groups.end(), group.name) == groups.end()) groups.push_back(group.name);
      break;
    }
  }
  std::string out;
  for (const std::string& group : groups) out += (out.empty() ? "" : ",") + group;
  return out;
}

counter_comparison compare_counters(const std::vector<record>& baseline, const std::vector<record>& candidate,
                                    const std::vector<std::string>& cases, const gate_policy& policy,
                                    const noise_floors* floors) {
  constexpr double steady_share_of_tolerance = 0.1, band_margin = 2;
  counter_comparison out;
  for (const std::string& name : cases)
    for (const auto& [counter, tolerance, slack] : policy.counters) {
      const std::vector<double> a = readings_of(baseline, name, counter);
      const std::vector<double> b = readings_of(candidate, name, counter);
      if (a.empty() || b.empty()) continue;
      std::optional<double> band;
      if (floors)
        if (const auto of_case = floors->counter_bands_pct.find(name);
            of_case != floors->counter_bands_pct.end())
          if (const auto of = of_case->second.find(counter); of != of_case->second.end()) band = of->second;
      const bool is_steady = a.size() > 1 && b.size() > 1 &&
                             std::max(widest_pct(a), widest_pct(b)) <= steady_share_of_tolerance * tolerance;
      if (!is_steady && !band) {
        ++out.varying;
        continue;
      }
      ++out.compared;
      const double before = median(a), after = median(b), change = percent_between(before, after);
      const double allowed = std::max(tolerance, band_margin * band.value_or(0));
      if (!(std::fabs(change) <= allowed) && !(std::fabs(after - before) <= slack))
        out.changes.push_back({name, counter, before, after, change, allowed, change > 0});
    }
  if (out.compared == 0 && out.varying == 0) out.why_none = first_reason(candidate);
  return out;
}

std::map<std::string, std::map<std::string, double>> counter_bands(const std::vector<record>& readings,
                                                                   const gate_policy& policy) {
  std::map<std::string, std::map<std::string, double>> out;
  if (readings.empty()) return out;
  for (const measured_case& c : readings.front().cases)
    for (const auto& [counter, tolerance, slack] : policy.counters) {
      const std::vector<double> values = readings_of(readings, c.name, counter);
      // A counter that is zero now and then has no band in percent; it stays out of the gate.
      if (values.size() > 1 && std::isfinite(widest_pct(values))) out[c.name][counter] = widest_pct(values);
    }
  return out;
}

}  // namespace ablate::gate
