#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/json_place.h"

namespace ablate {

/// What busy neighbors did to a device in a run on several (`worker.neighbors` of a record).
struct neighbor_facts {
  struct change {
    std::string name;                         ///< of a calibration
    std::vector<double> alone_us, beside_us;  ///< medians, in the order in which they were measured
    double ratio, low, high;  ///< its time beside busy neighbors over that alone, and the range of the pairs
    bool matters = false;     ///< it is beyond the limit, and all times alone on one side of all times beside
  };
  std::vector<std::string> specimens;  ///< of the run: the first was measured, the others were busy
  std::string load;                    ///< the case that kept them busy
  double limit_pct = 0;                ///< what matters is beyond it
  bool in_turns = false;               ///< so that devices of the run measured one at a time
  std::vector<change> cases;

  /// After the last bundle; since record schema 1.16.
  struct ending {
    std::string specimen;  ///< that was measured
    bool matters = false;  ///< a case changed by more than the limit
    std::vector<change> cases;
  };
  std::optional<ending> at_end = {};
};

/// Throws bad_input.
void from_json(const reports::json_place&, neighbor_facts&);
void from_json(const reports::json_place&, neighbor_facts::ending&);
nlohmann::ordered_json to_json(const neighbor_facts&);
nlohmann::ordered_json to_json(const neighbor_facts::ending&);
nlohmann::ordered_json fields_schema(const neighbor_facts&);

/// One line on the calibration that changes most: "with 3 neighbors busy, ceilings/… takes 1.021 times as
/// long (1.018 to 1.026): the devices took turns", and the same of the end of the run where that is known.
std::string neighbors_text(const neighbor_facts&);

}  // namespace ablate
