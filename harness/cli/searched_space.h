#pragma once

#include <string>
#include <vector>

#include "harness/registry/operation.h"
#include "harness/suite/suite.h"
#include "reports/search/space.h"
#include "reports/search/strategy.h"

namespace ablate {

/// All points of an operation on one workload, as a suite that can run any of them.
struct searched_space {
  suite from;  ///< search_OPERATION: one block, of all points
  search::space points;
  std::vector<std::string> ids;  ///< of the points' cases
  search::beginning begin;       ///< presets first, then the other variants
  named_words axes;
  std::string cache_state;
};

/// `assignments`: AXIS=VALUE, one value each, `cache` too. Whether a point can run is what a run on `on`
/// says. Throws bad_input for several values, as `overridden` does, and where no point can run.
searched_space searched_space_of(const operation&, const std::vector<std::string>& assignments,
                                 const target& on);

/// The points' differences as the operation declares its switches: one that means something at one point only
/// follows from another.
search::difference declared_difference(const operation&, std::vector<const variant_facts*>);

}  // namespace ablate
