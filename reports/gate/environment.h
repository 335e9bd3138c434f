#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/gate/policy.h"

namespace ablate::gate {

/// GPU state observed while one process launch ran a case; nullopt where it could not be read.
struct launch_environment {
  std::optional<double> sm_clock_mhz;  ///< median while samples were taken
  std::optional<double> memory_clock_mhz;
  std::vector<std::string> event_reasons;    ///< all that were active at any time, named as in records
  std::optional<long> other_processes;       ///< computing on the same GPU
  std::optional<long> ecc_errors_during_it;  ///< increase of the count
};

/// Why the two launches of a pair are not comparable, in one line; nullopt if they are. Values that could not
/// be read are ignored.
std::optional<std::string> why_broken(const launch_environment& baseline, const launch_environment& candidate,
                                      const gate_policy&);

}  // namespace ablate::gate
