#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
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
  std::optional<clock_over_samples> clock = {};  ///< of a case to be timed at a steady clock
};

/// The `time_us` of a case in the record.
measured_case::timing timing_of(const timed&);

/// Of a later launch of a suite: at most 16 medians of consecutive samples replace the samples, so that a
/// record shows how time drifted within the launch and stays small. Median and interval remain those of all
/// samples; the few at the end that fill no block are in these alone.
void keep_block_medians(measured_case::timing&);

}  // namespace ablate
