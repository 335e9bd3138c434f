#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/gate/environment.h"
#include "reports/record/record.h"
#include "reports/text/json_place.h"

namespace ablate::gate {

/// What one process launch measured of one case.
struct launched_case {
  double median_us;
  launch_environment environment;
  std::vector<double> samples_us;  ///< empty where they came from a journal
};

struct launched_failure {
  std::string status, reason;  ///< as in a record's `unmeasured`
};

/// One process launch of one build: the unit that a gate counts.
struct launch {
  std::map<std::string, launched_case> cases;
  std::map<std::string, launched_failure> failures;
};

/// Calibrations too. What a glance before and one after a case saw of the GPU stands for its launch; the SM
/// clock is that of the kernel that counts its cycles.
launch launch_of(const record&);

/// Null where the record has not measured it.
const measured_case* find_case(const record&, const std::string& name);

/// Without the samples, for a journal.
nlohmann::ordered_json to_json(const launch&);
launch launch_from(const reports::json_place&);

}  // namespace ablate::gate
