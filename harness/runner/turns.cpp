#include "harness/runner/turns.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <set>

#include "base/record/case_json.h"
#include "harness/counters/metric_groups.h"
#include "harness/runner/workload_cache.h"

namespace ablate {

namespace {

using nlohmann::ordered_json;

ordered_json turn_of(const suite_case& c, const sampling& rule, const input_library& inputs,
                     workload_cache& workloads, executor& on) {
  if (c.not_applicable) return {{"status", "not_applicable"}, {"reason", *c.not_applicable}};
  try {
    const measurement m = on.run(c, workloads.of(c, inputs), inputs, rule);
    if (m.status == "ok") return {{"status", m.status}, {"time_us", to_json(m.facts.time)}};
    return {{"status", m.status}, {"reason", m.reason}};
  } catch (const device_lost&) {
    throw;
  } catch (const std::exception& failure) {
    return {{"status", "failed"}, {"reason", failure.what()}};
  }
}

}  // namespace

void take_turns(const std::vector<suite_case>& cases, const sampling& rule, const input_library& inputs,
                executor& on, std::istream& ids, std::ostream& answers) {
  workload_cache workloads;
  std::set<std::string> checked;
  for (std::string id; std::getline(ids, id);) {
    ordered_json answer = {{"name", id}};
    const auto found =
        std::find_if(cases.begin(), cases.end(), [&](const suite_case& c) { return c.id == id; });
    if (found == cases.end()) {
      answer.update({{"status", "unknown"}, {"reason", "the suite has no such case in this build"}});
    } else {
      suite_case turn = *found;
      turn.protocol.observed.reset();
      if (checked.insert(id).second) turn.protocol.observed.emplace();
      answer.update(turn_of(turn, rule, inputs, workloads, on));
    }
    answers << answer.dump() << std::endl;
  }
}

}  // namespace ablate
