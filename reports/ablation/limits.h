#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics/launch_ratio.h"
#include "reports/gate/policy.h"
#include "reports/gate/verdict.h"

namespace ablate::reports {

/// What counts as an effect between two variants: the limits that `ablate compare` applies to two builds.
struct effect_limits {
  double minimum_pct;           ///< smaller effects do not count
  double one_launch_pct;        ///< the same if only one process was measured, whose own noise is unknown
  double one_launch_short_pct;  ///< the same for cases shorter than the next
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
  /// The probability of launches that speak as clearly, or more so, for the verdict that the estimate
  /// suggests, where that verdict is false. Nothing of one launch, whose own noise is unknown.
  std::optional<double> p = std::nullopt;
};

/// The verdict on the log of a time ratio within one launch.
judgment judged_within_launch(const gate::shift& time, double first_us, const effect_limits&);
/// Over several launches.
judgment judged(const gate::launch_ratio&, const effect_limits&);
/// On an interval, however it was made, of so many launches: either of the two, without a p.
judgment judged(const gate::shift& time, double first_us, std::size_t launches, const effect_limits&);

/// For verdicts that are read together, as in one table: those that are not certain among so many become
/// INCONCLUSIVE, so that of the rest an expected share of at most 1 - confidence is false
/// (false_discovery.h). Verdicts of one launch stay as they are.
void control_false_discoveries(const std::vector<judgment*>&, const effect_limits&);
/// What that means, beside verdicts that are shown.
std::string about_false_discoveries(double confidence);

}  // namespace ablate::reports
