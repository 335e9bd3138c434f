#include "harness/counters/case_profiler.h"

#include "harness/timing/stopwatch.h"

namespace ablate {

namespace {

std::vector<std::string> metrics_of(const std::vector<const counter_group*>& groups,
                                    const std::string& silicon) {
  std::vector<std::string> all;
  for (const counter_group* group : groups)
    for (const std::string& metric : group->metrics_on(silicon)) all.push_back(metric);
  return all;
}

}  // namespace

case_profiler::case_profiler(int device, std::string silicon) : silicon_(std::move(silicon)) {
  try {
    profiler_ = std::make_unique<range_profiler>(device);
    silicon_ = profiler_->silicon();
    if (chosen_groups("core", silicon_).empty()) {
      why_not_ = "there is no group of counters for " + silicon_ + " in harness/counters/metric_groups.json";
      profiler_.reset();
    }
  } catch (const counters_unavailable& e) {
    why_not_ = e.what();
  }
}

group_reading case_profiler::read(const counter_group& group, const profiled_case& c, counting_cost& cost) {
  group_reading reading;
  reading.group = group.name;
  reading.metrics = group.metrics_on(silicon_);
  try {
    const stopwatch opening;
    profiler_->open(group, c.kernels.size(), c.prepare, c.launch);
    cost.open_ms += 1e3 * opening.seconds();
    const stopwatch collecting;
    c.prepare();
    reading.by_kernel = profiler_->collect(c.kernels.size(), c.launch);
    cost.host_ms += 1e3 * collecting.seconds();
    c.expect_right_output(group.name);
  } catch (const counters_unavailable& e) {
    reading.failure = e.what();
  }
  return reading;
}

nlohmann::ordered_json case_profiler::collect(const std::string& set, const profiled_case& c) {
  const std::vector<const counter_group*> groups = chosen_groups(set, silicon_);
  if (why_not_) return no_counters_json(set, *why_not_, metrics_of(groups, silicon_));
  if (c.kernels.empty())
    return no_counters_json(set, "the case launches no kernel", metrics_of(groups, silicon_));
  std::vector<group_reading> readings;
  counting_cost cost;
  for (const counter_group* group : groups) readings.push_back(read(*group, c, cost));
  return counters_json(set, readings, c.kernels, cost);
}

}  // namespace ablate
