#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/device/chip.h"
#include "harness/suite/suite.h"

namespace ablate {

struct requested_counters {
  std::vector<std::string> metrics;  ///< by CUPTI's names
  std::string groups_file;           ///< empty: none
};

/// `--metrics` and `--metric-groups`: for ask_for_metrics.
void add_metrics_options(CLI::App& command, requested_counters&);

/// Adds what is requested to the counters of every case of the suite, in passes that CUPTI plans for the
/// chip. Throws bad_input for a metric that the chip lacks or cannot read in a pass, for a file that is not
/// as docs/counters.md says, and where CUPTI cannot be asked.
void ask_for_metrics(const requested_counters&, const chip& on, suite& of);

}  // namespace ablate
