#pragma once

#include <string>

#include "harness/gate/gate.h"
#include "reports/gate/noise_floors.h"

namespace ablate::gate {

struct calibration_request {
  gate_request gate;  ///< its baseline and candidate are two separately linked builds of one source
  std::size_t runs = 0, pairs = 0;   ///< pairs in each run
  std::size_t counter_readings = 0;  ///< of each build
};

struct calibration_outcome {
  noise_floors floors;
  std::vector<std::string> without_floor;  ///< cases whose pairs the environment broke in every run
  std::vector<unmatched_case> unmatched;   ///< cases that have no floor, for a side did not measure them
  std::size_t pairs_launched = 0;
  double seconds = 0;
  std::string cut_short;  ///< why there are fewer runs than asked for; empty where there are all
};

/// A/A runs: what alternated launches of two builds of one source differ by. Runs that did not get to their
/// end (the budget of time, a folder with too few records) do not count. Throws bad_input, tool_failure,
/// interrupted; also where the builds are of two sources, a result is wrong, a case fails, or not one run was
/// whole.
calibration_outcome calibrate(const calibration_request&);

/// A table by floor.
std::string calibration_text(const calibration_outcome&, const gate_policy&);

}  // namespace ablate::gate
