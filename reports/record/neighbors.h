#pragma once

#include <string>
#include <vector>

#include "reports/text/json_place.h"

namespace ablate {

/// What busy neighbors did to a device in a run on several (`worker.neighbors` of a record).
struct neighbor_facts {
  struct change {
    std::string name;         ///< of a calibration
    double ratio, low, high;  ///< its time beside busy neighbors over that alone, and the range of the pairs
  };
  std::vector<std::string> specimens;  ///< of the run: the first was measured, the others were busy
  bool in_turns = false;               ///< so that devices of the run measured one at a time
  std::vector<change> cases;
};

/// Throws bad_input.
neighbor_facts read_neighbors(const reports::json_place&);

/// One line on the calibration that changes most: "with 3 neighbors busy, ceilings/… takes 1.021 times as
/// long (1.018 to 1.026): the devices took turns".
std::string neighbors_text(const neighbor_facts&);

}  // namespace ablate
