#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/gate/gate.h"
#include "reports/gate/noise_floors.h"

namespace ablate::gate {

struct calibration_request {
  gate_request gate;  ///< baseline and candidate: two separately linked builds of the same source
  std::vector<std::filesystem::path> further;  ///< more of them
  std::size_t runs = 0, pairs = 0;             ///< pairs per run
  std::size_t counter_readings = 0;            ///< per build
};

struct calibration_outcome {
  noise_floors floors;
  std::vector<std::string> without_floor;  ///< cases whose pairs the environment broke in every run
  std::vector<unmatched_case> unmatched;   ///< cases without a floor because one side did not measure them
  std::size_t pairs_launched = 0;
  double seconds = 0;
  std::string cut_short;  ///< why there are fewer runs than requested; empty if complete
};

/// A/A runs: measures how much alternated launches of two builds of the same source differ. Each run takes
/// the next two of the builds. Incomplete runs
/// (time budget spent, too few records in a folder) do not count. Throws bad_input, tool_failure,
/// interrupted; also if the builds' sources differ, a result is wrong, a case fails, or no run completed.
calibration_outcome calibrate(const calibration_request&);

/// A table sorted by floor.
std::string calibration_text(const calibration_outcome&, const gate_policy&);

}  // namespace ablate::gate
