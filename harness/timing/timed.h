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
  /// Enqueues once more, untimed, the very batch of launches that the samples took; empty where a sample is
  /// one launch, which began with everything reset.
  std::function<void()> again = {};
  /// Of a case that was to run at a steady clock, as steady_clock_watch tells it; else null.
  nlohmann::ordered_json clock = {};
};

/// The `time_us` object of a record's entry; `clock` in it only where there is one.
nlohmann::ordered_json to_json(const timed&);

}  // namespace ablate
