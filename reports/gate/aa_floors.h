#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "reports/gate/policy.h"

namespace ablate::gate {

/// Two builds of a calibration, by their places.
using pair_of_builds = std::pair<std::size_t, std::size_t>;

/// Each two of the builds once, in the order in which runs take them: every build is among the first.
std::vector<pair_of_builds> pairs_of_builds(std::size_t builds);

/// The A/A floors of the cases in percent, in their order. `effects` has the effects (log ratios) that the
/// calibration's runs of `builds` builds found in each case.
///
/// Each build has its code at other places, so the next two builds differ by another draw of what these
/// differed by. A floor is therefore what such a draw exceeds in no more than the policy's share of gates, by
/// Student's t: on the case's mean square effect or, since a few builds tell little about one case, on that
/// of the median case, whichever is larger. A floor is also at least the policy's quantile of the case's own
/// effects. Throws std::invalid_argument if a case has no effect, one is not finite, or there are fewer than
/// two builds.
std::vector<double> floors_pct_of(const gate_policy&, const std::vector<std::vector<double>>& effects,
                                  std::size_t builds);

}  // namespace ablate::gate
