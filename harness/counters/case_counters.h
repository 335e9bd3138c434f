#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/record/counters.h"
#include "harness/counters/metric_groups.h"

namespace ablate {

/// The counters that one launch of a case yielded for one group. Its output was correct, or the case has no
/// record.
struct group_reading {
  std::string group;
  std::vector<std::string> metrics;
  std::optional<std::string> failure;          ///< why the group was not collected
  std::vector<std::vector<double>> by_kernel;  ///< [kernel][metric]; NaN where none was read
};

/// Time on the host.
struct counting_cost {
  double host_ms = 0;  ///< restoring, collecting and reading for all groups; excludes the oracle's comparison
  double open_ms = 0;  ///< opening groups: next to nothing if the previous case's group is read again
};

/// A record's `counters`: values of the case and of each kernel, nulls with their reasons, whether the groups
/// saw the same work. A metric in several groups takes the first group's value.
counter_readings counters_of(const std::string& set, const std::vector<group_reading>&,
                             const std::vector<std::string>& kernels, const counting_cost&);

/// The same if nothing was collected: every requested metric is null, for this reason.
counter_readings nothing_counted(const std::string& set, const std::string& reason,
                                 const std::vector<std::string>& metrics = {});

}  // namespace ablate
