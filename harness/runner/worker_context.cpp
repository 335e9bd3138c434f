#include "harness/runner/worker_context.h"

#include <set>
#include <string>
#include <vector>

#include "base/record/context_json.h"
#include "harness/counters/metric_groups.h"

namespace ablate {

namespace {

/// What a report needs to know about this run's counters: the groups, each one pass, within which alone
/// ratios may be formed; names and units.
nlohmann::ordered_json counters_context(const std::set<std::string>& choices,
                                        const nlohmann::ordered_json& device) {
  asked_counters out;
  const auto silicon = device.find("silicon");
  if (silicon == device.end() || !silicon->is_string()) return to_json(out);
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
  return to_json(out);
}

}  // namespace

nlohmann::ordered_json context_on(executor& on, const run_facts& facts, const worker_place& place) {
  nlohmann::ordered_json whole = facts.context;
  nlohmann::ordered_json& ablate = whole["ablate"];
  ablate["specimen"] = place.specimen;
  if (place.all.size() > 1)
    ablate["worker"] = {{"number", place.number + 1}, {"count", place.all.size()}, {"cpus", place.cpus}};
  ablate["device"] = on.device_facts();
  ablate["evidence"] = on.evidence();
  ablate["counters"] = counters_context(facts.counter_sets, ablate["device"]);
  return whole;
}

}  // namespace ablate
