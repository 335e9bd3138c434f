#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/timing/stopping_rule.h"

namespace ablate {

/// The samples of one case and how they were taken.
struct timed {
  std::vector<double> samples_us = {};
  std::string method = {};  ///< events, graph, host_clock, host_clock_graph
  int launches_per_sample = 1;
  int warmup_launches = 0;
  stop_reason stopped_by = stop_reason::precision;
  /// Enqueues the sampled batch of launches once more, untimed; empty if a sample is a single launch, which
  /// begins with everything reset.
  std::function<void()> again = {};
  /// steady_clock_watch::json() for a case to be timed at a steady clock; otherwise null.
  nlohmann::ordered_json clock = {};
};

/// The `time_us` object of a record's entry, with `clock` only if there is one.
nlohmann::ordered_json to_json(const timed&);

}  // namespace ablate
