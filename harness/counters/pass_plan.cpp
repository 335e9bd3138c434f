#include "harness/counters/pass_plan.h"

#include "harness/counters/counter_host.h"

namespace ablate {

namespace {

// Measured on an H200 with the core set. Going on to another group opens a session; a single group stays
// open.
constexpr double seconds_a_pass = 0.035;
constexpr double seconds_to_open = 0.22;

}  // namespace

double counting_seconds(std::size_t groups) {
  return static_cast<double>(groups) * (seconds_a_pass + (groups > 1 ? seconds_to_open : 0));
}

pass_plan plan_passes(const std::string& choice, const std::string& silicon) {
  const auto groups = chosen_groups(choice, silicon);
  pass_plan plan;
  plan.groups = groups.size();
  plan.seconds = counting_seconds(groups.size());
  try {
    std::size_t passes = 0;
    for (const counter_group* group : groups)
      passes += counter_host(group->how, silicon, group->metrics_on(silicon)).passes();
    plan.passes = passes;
  } catch (const counters_unavailable& why) {
    plan.why_not_counted = why.what();
  }
  return plan;
}

pass_plan plan_sampled_pass(const std::string& silicon) {
  pass_plan plan{.groups = 1, .passes = {}, .why_not_counted = {}, .seconds = sampling_forwards_seconds};
  std::vector<std::string> metrics;
  for (const auto& [key, metric] : counters().sampled) metrics.push_back(metric);
  try {
    plan.passes = counter_host(counter_group::profiler::pm_sampling, silicon, metrics).passes();
  } catch (const counters_unavailable& why) {
    plan.why_not_counted = why.what();
  }
  return plan;
}

}  // namespace ablate
