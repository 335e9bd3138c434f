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
    turns_.begin();
    in_turn([&] { open(device); });
  } catch (const counters_unavailable& e) {
    why_not_ = e.what();
  }
  turns_.end();
}

void case_profiler::open(int device) {
  profiler_ = std::make_unique<range_profiler>(device);
  silicon_ = profiler_->silicon();
  if (!chosen_groups("core", silicon_).empty()) return;
  profiler_.reset();
  throw counters_unavailable("there is no group of counters for " + silicon_ +
                             " in harness/counters/metric_groups.json");
}

void case_profiler::in_turn(const std::function<void()>& what) {
  for (;;) {
    try {
      return what();
    } catch (const counters_busy&) {
      release();
      if (!turns_.wait()) throw;
    }
  }
}

void case_profiler::read_into(group_reading& reading, const counter_group& group, const profiled_case& c,
                              counting_cost& cost) {
  const stopwatch opening;
  profiler_->open(group, c.kernels.size(), c.prepare, c.launch);
  cost.open_ms += 1e3 * opening.seconds();
  const stopwatch collecting;
  c.prepare();
  reading.by_kernel = profiler_->collect(c.kernels.size(), c.launch);
  cost.host_ms += 1e3 * collecting.seconds();
  c.expect_right_output(group.name);
}

group_reading case_profiler::read(const counter_group& group, const profiled_case& c, counting_cost& cost) {
  group_reading reading;
  reading.group = group.name;
  reading.metrics = group.metrics_on(silicon_);
  try {
    in_turn([&] { read_into(reading, group, c, cost); });
  } catch (const counters_unavailable& e) {
    reading.failure = e.what();
  }
  return reading;
}

void case_profiler::end_turn() {
  yield_counters();
  turns_.end();
}

counter_readings case_profiler::collect(const std::string& set, const profiled_case& c) {
  const std::vector<const counter_group*> groups = chosen_groups(set, silicon_);
  if (why_not_) return nothing_counted(set, *why_not_, metrics_of(groups, silicon_));
  if (c.kernels.empty())
    return nothing_counted(set, "the case launches no kernel", metrics_of(groups, silicon_));
  std::vector<group_reading> readings;
  counting_cost cost;
  turns_.begin();
  try {
    for (const counter_group* group : groups) readings.push_back(read(*group, c, cost));
  } catch (...) {
    end_turn();
    throw;
  }
  end_turn();
  return counters_of(set, readings, c.kernels, cost);
}

}  // namespace ablate
