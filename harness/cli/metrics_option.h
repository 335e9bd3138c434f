#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/device/chip.h"
#include "harness/suite/suite.h"

namespace ablate {

/// `--metrics`: for ask_for_metrics.
void add_metrics_option(CLI::App& command, std::vector<std::string>& metrics);

/// Adds the metrics to the counters of every case of the suite, in passes that CUPTI plans for the chip.
/// Throws bad_input for a metric that the chip lacks or cannot read in a pass, and where CUPTI cannot be
/// asked.
void ask_for_metrics(const std::vector<std::string>& metrics, const chip& on, suite& of);

}  // namespace ablate
