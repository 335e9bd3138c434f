#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "harness/counters/metric_groups.h"

namespace ablate {

/// A metric that a silicon does not have or that one launch cannot read; one line says which and why.
struct metric_refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Metrics by CUPTI's names as groups of one pass each, named NAME, NAME_2, ...: as few as first-fit
/// finds. Each group carries the fingerprint of its kind, by which a record tells whether groups saw the same
/// work; patched counters (smsp__sass_*) stay apart from those of the hardware. Asks CUPTI's host half, which
/// needs no GPU. Throws metric_refused, or counters_unavailable where CUPTI cannot be asked.
std::vector<counter_group> one_pass_groups(const std::vector<std::string>& metrics,
                                           const std::string& silicon, const std::string& name = "metrics",
                                           const std::string& purpose = "metrics requested by name");

}  // namespace ablate
