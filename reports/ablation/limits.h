#pragma once

#include <cstddef>
#include <string>

#include "reports/gate/policy.h"
#include "reports/gate/verdict.h"

namespace ablate::reports {

/// What counts as an effect between two variants: the limits that `ablate compare` applies to two builds.
struct effect_limits {
  double minimum_pct;           ///< smaller effects do not count
  double one_launch_pct;        ///< the same if only one process was measured, whose own noise is unknown
  double one_launch_short_pct;  ///< likewise, for cases shorter than the next
  double short_below_us;
  double bound_share;  ///< fraction of the limit that the interval must exclude
  double confidence;   ///< of intervals over several processes
};

effect_limits limits_of(const gate::gate_policy&);
/// suites/gates/default.json. Throws bad_input as read_policy does.
gate::gate_policy shipped_policy();

struct judgment {
  gate::verdict word;
  double limit_pct;    ///< the limit applied to the effect
  std::string reason;  ///< for INCONCLUSIVE
};

/// The verdict on the log of a time ratio from `processes` launches.
judgment judged(const gate::shift& time, double first_us, std::size_t processes, const effect_limits&);

}  // namespace ablate::reports
