#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/suite/suite.h"

namespace ablate {

/// A slowdown on purpose, by which a gate is tested.
struct injected_delay {
  double pct = 0;         ///< of the case's own time; 0: none
  std::string into = {};  ///< the cases, as --filter selects them; empty: all but calibrations
};

/// Whether this build can inject delays (ABLATE_INJECT_DELAY).
bool can_inject_delay();

/// What a gate asks of one launch of a suite; of use to others too. By default, the launch is a whole run.
struct launch_settings {
  std::optional<int> samples = {};  ///< per case, exactly; otherwise the suite's sampling applies
  /// Shuffles the cases; those with the same axes stay together, since they share an input.
  std::optional<std::uint64_t> order_seed = {};
  std::vector<std::string> only = {};      ///< ids of the only cases to run; empty: all
  std::vector<std::string> ceilings = {};  ///< the calibrations to run; empty: all
  bool unchecked = false;                  ///< do not compare outputs: already done by a check
  bool keeps_samples = true;               ///< else the record has medians of blocks of them
  injected_delay delay = {};
};

/// Keeps, shuffles and delays the cases of a suite as requested. Throws bad_input where nothing is left, and
/// for a delay that this build cannot inject.
void apply(const launch_settings&, std::vector<suite_case>& to);

/// The suite with the requested sampling: a fixed number of samples is taken whatever the clock does.
suite with_samples_of(const launch_settings&, suite);

}  // namespace ablate
