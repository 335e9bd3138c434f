#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/counters/metric_groups.h"

namespace ablate {

/// What one launch of a case gave for one group. Its output was right, or there is no record of the case.
struct group_reading {
  std::string group;
  std::vector<std::string> metrics;
  std::optional<std::string> failure;          ///< why the group was not collected
  std::vector<std::vector<double>> by_kernel;  ///< [kernel][metric]; not a number where none was read
};

/// Time on the host.
struct counting_cost {
  double host_ms =
      0;  ///< restoring, collecting and reading, all groups together; without the oracle's comparison
  double open_ms = 0;  ///< opening groups: next to nothing where the group of the case before is read again
};

/// A record's `counters`: values of the case and of each kernel, nulls with their reasons, whether the groups
/// saw the same work. A metric that several groups hold is the first one's.
nlohmann::ordered_json counters_json(const std::string& set, const std::vector<group_reading>&,
                                     const std::vector<std::string>& kernels, const counting_cost&);

/// The same where nothing was collected: every metric that was asked for is null, for this reason.
nlohmann::ordered_json no_counters_json(const std::string& set, const std::string& reason,
                                        const std::vector<std::string>& metrics = {});

}  // namespace ablate
