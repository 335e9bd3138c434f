#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/gate/policy.h"

namespace ablate::gate {

/// What was seen of the GPU while one process launch ran a case. Nothing where it could not be read.
struct launch_environment {
  std::optional<double> sm_clock_mhz;  ///< median while samples were taken
  std::optional<double> memory_clock_mhz;
  std::vector<std::string> event_reasons;    ///< all that were on at some time, as records name them
  std::optional<long> other_processes;       ///< computing on the same GPU
  std::optional<long> ecc_errors_during_it;  ///< by how many the count rose
};

/// Why the two launches of a pair may not be held against each other, in one line; nothing when they may.
/// What was not read of either is not held against them.
std::optional<std::string> why_broken(const launch_environment& baseline, const launch_environment& candidate,
                                      const gate_policy&);

}  // namespace ablate::gate
