#pragma once

#include <cstddef>
#include <vector>

#include "base/record/record.h"
#include "reports/gate/noise_floors.h"
#include "reports/gate/policy.h"

namespace ablate {

/// The smallest effect that counts in a verdict on a claim. None of it follows from how long a case takes.
struct claim_limits {
  double minimum_pct;                      ///< where several launches measured it
  double one_launch_pct;                   ///< where one did: the next may differ by as much
  double confidence;                       ///< of intervals over launches
  std::vector<gate::noise_floors> floors;  ///< A/A noise floors, of any machines

  /// For a time of this case. A machine's noise floor of cases like it, of its operation and cache state,
  /// counts where it is higher: the greatest of theirs.
  double least_effect_pct(const record&, const measured_case&, std::size_t launches) const;
};

/// Every effect counts: for figures by which nothing is judged.
inline const claim_limits any_effect{0, 0, 0.95, {}};

/// By a gate's policy.
claim_limits limits_of_claims(const gate::gate_policy&, std::vector<gate::noise_floors> = {});

}  // namespace ablate
