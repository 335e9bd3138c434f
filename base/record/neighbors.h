#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/json_place.h"

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

  /// After the last bundle; since record schema 1.16.
  struct ending {
    bool matters = false;  ///< a case changed by more than the limit
    std::vector<change> cases;
  };
  std::optional<ending> at_end = {};
};

/// Throws bad_input.
neighbor_facts read_neighbors(const reports::json_place&);

/// One line on the calibration that changes most: "with 3 neighbors busy, ceilings/… takes 1.021 times as
/// long (1.018 to 1.026): the devices took turns", and the same of the end of the run where that is known.
std::string neighbors_text(const neighbor_facts&);

}  // namespace ablate
