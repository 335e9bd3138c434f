#pragma once

#include <nlohmann/json.hpp>

#include "base/text/json_place.h"

namespace ablate {

/// What one launch of a case costs in joules, by NVML's counter of the energy that the board has taken:
/// `energy` of a measured case. The case is launched again and again until the counter has moved by enough
/// steps.
struct energy_use {
  double launch_j;   ///< of one launch: mean_w · loop_us − around_j
  double error_pct;  ///< of launch_j, half of its 95 % interval
  double mean_w;     ///< over the loop
  double loop_us;    ///< of one launch in the loop, with what precedes it there
  double around_j;   ///< of what precedes each launch, such as the L2 flush, metered without the launch
  double idle_w;     ///< of the device before the first case, with the program's context open
  double seconds;    ///< between the first and the last step of the counter that count
  double step_j;     ///< median step of the counter: its resolution
  long steps;

  double launch_mj() const { return 1e3 * launch_j; }
  /// Of launch_mj, half of its 95 % interval.
  double half_width_mj() const { return launch_mj() * error_pct / 100; }
};

/// Throws bad_input if the record does not match the schema.
void from_json(const reports::json_place&, energy_use&);
nlohmann::ordered_json to_json(const energy_use&);
nlohmann::ordered_json fields_schema(const energy_use&);

}  // namespace ablate
