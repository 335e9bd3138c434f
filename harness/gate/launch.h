#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "base/text/json_place.h"
#include "reports/gate/environment.h"

namespace ablate::gate {

/// What one process launch measured for one case.
struct launched_case {
  double median_us;
  launch_environment environment;
  std::vector<double> samples_us;  ///< empty if read from a journal
};

struct launched_failure {
  std::string status, reason;  ///< as in a record's `unmeasured`
};

/// One process launch of one build: the gate's unit of observation.
struct launch {
  std::map<std::string, launched_case> cases;
  std::map<std::string, launched_failure> failures;
};

/// Includes calibrations. The GPU state read before and after a case represents its launch; the SM clock
/// comes from the cycle-counting kernel.
launch launch_of(const record&);

/// Null if the record has no measurement of it.
const measured_case* find_case(const record&, const std::string& name);

/// For the journal: without the samples.
nlohmann::ordered_json to_json(const launch&);
launch launch_from(const reports::json_place&);

}  // namespace ablate::gate
