#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/ablation/pairs.h"

namespace ablate::reports {

/// A metric of metrics.h on both sides of a step.
struct moved_metric {
  std::string_view title;
  double before, after;
  std::string sign = {};      ///< of counters of another regime (base/record/counter_regime.h)
  double change_pct() const;  ///< infinite from nothing
};

/// Metrics that moved by 2 % or more, the greatest ratio first. Percentages that stay below 1 do not count as
/// moved; metrics divided by the median time move with it by construction and are left out.
std::vector<moved_metric> moved_metrics(const record&, const measured_case& from, const measured_case& to);

/// A step, and its weight in a mean over several.
struct weighted_step {
  const measured_case *from, *to;
  double weight;
};
/// The same of the means over steps, whose weights sum to 1.
std::vector<moved_metric> moved_metrics(const record&, const std::vector<weighted_step>&);

struct waterfall_step {
  switch_change change;
  effect measured;
  std::vector<moved_metric> moved;
};

/// The single-switch steps from the baseline to the fastest variant of a workload.
struct waterfall {
  const comparable_cases* row;  ///< among the workloads that take this path, the one with the most variants
  std::vector<waterfall_step> steps;
  effect whole;
  std::size_t workloads;  ///< that take this path
  bool unequal_quality;   ///< between the fastest variant's output and the baseline's
};

/// ", in the order s, t": what a gain of several steps depends on; empty of a single one.
std::string order_of(const waterfall&);

/// A fastest variant that single switches do not reach.
struct unreached_best {
  std::string variant;
  std::size_t workloads;
};

struct operation_waterfalls {
  std::vector<waterfall> paths;  ///< those with the most workloads first
  std::vector<unreached_best> unreached;
  std::size_t workloads = 0;      ///< with the baseline and another variant
  std::size_t baseline_best = 0;  ///< workloads of these where the baseline is the fastest
};

/// To the fastest variant of each workload and, if its output quality differs from the baseline's, also to
/// the fastest of equal quality. Among the shortest paths through the measured variants, the one whose
/// variants come first in the record.
operation_waterfalls waterfalls(const record&, const operation_view&, const process_launches&);

}  // namespace ablate::reports
