#include "harness/runner/worker_context.h"

#include <set>
#include <string>
#include <vector>

#include "harness/counters/metric_groups.h"

namespace ablate {

namespace {

/// What a report needs to know about this run's counters: the groups, each one pass, within which alone
/// ratios may be formed; names and units.
asked_counters counters_on(const nlohmann::ordered_json& device, const std::set<std::string>& choices) {
  asked_counters out;
  const auto silicon = device.find("silicon");
  if (silicon == device.end() || !silicon->is_string()) return out;
  std::set<std::string> groups, metrics;
  for (const std::string& choice : choices)
    for (const counter_group* group : chosen_groups(choice, silicon->get<std::string>())) {
      const std::vector<std::string> of_group = group->metrics_on(silicon->get<std::string>());
      if (groups.insert(group->name).second) out.groups.emplace_back(group->name, of_group);
      for (const std::string& metric : of_group) {
        const counter_definition& facts = counters().metrics.at(metric);
        if (metrics.insert(metric).second)
          out.metrics.emplace_back(metric, asked_counters::meaning{facts.display, facts.unit});
      }
    }
  return out;
}

}  // namespace

record context_on(executor& on, const run_facts& facts, const worker_place& place) {
  record out = facts.context;
  out.specimen = place.specimen;
  if (place.all.size() > 1)
    out.worker = {static_cast<long>(place.number + 1), static_cast<long>(place.all.size()), place.cpus, {}};
  out.device = on.device_facts();
  out.evidence = on.evidence();
  out.counters = counters_on(out.device, facts.counter_sets);
  return out;
}

}  // namespace ablate
