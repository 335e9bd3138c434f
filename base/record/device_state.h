#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/record/stated.h"

namespace ablate::reports {
class json_place;
}

namespace ablate {

/// The state of a GPU at one moment. What cannot be read is null; records of before 1.9 lack some.
struct device_state {
  stated<written_number> sm_clock_mhz, memory_clock_mhz;
  stated<std::vector<std::string>>
      event_reasons;  ///< why the clocks are not higher: gpu_idle, sw_power_cap …
  stated<written_number> temperature_c, power_w;
  stated<written_number>
      other_processes;                ///< with a compute context, outside the family of the process that asks
  stated<written_number> ecc_errors;  ///< since the driver was loaded, corrected ones too

  /// None where it is not known.
  const std::vector<std::string>& reasons() const;
};

/// Of a case: the state before and after its samples, and the clock right after the last one.
struct states_of_device {
  std::optional<device_state> before, after;
  stated<double> timed_sm_clock_mhz;  ///< counted by a kernel
};

void from_json(const reports::json_place&, device_state&);
void from_json(const reports::json_place&, states_of_device&);
nlohmann::ordered_json to_json(const device_state&);
nlohmann::ordered_json to_json(const states_of_device&);
nlohmann::ordered_json fields_schema(const states_of_device&);

}  // namespace ablate
