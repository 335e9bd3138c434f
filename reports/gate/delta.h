#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/gate/policy.h"

namespace ablate::gate {

/// The smallest effect that counts for a case.
struct effect_limit {
  double delta_pct;
  double delta;  ///< as the log of a time ratio
  bool too_noisy;
  bool calibrated;  ///< an A/A floor is known; otherwise delta is the policy's minimum
};

/// `baseline_us` is the case's time, `floor_pct` its A/A floor.
effect_limit limit_of(const gate_policy&, double baseline_us, std::optional<double> floor_pct);

/// Why a case with this floor cannot fail, in one line.
std::string why_too_noisy(const gate_policy&, double floor_pct);

/// The least that a case's A/A floor can be, in percent: the policy's quantile of the absolute effects (log
/// ratios) found by its calibration runs (aa_floors.h adds what other builds may show). Throws
/// std::invalid_argument if there is no run or an effect is not finite.
double floor_pct_of(const gate_policy&, std::vector<double> effects);

/// Converts a percentage above 1 to the logarithm of that ratio, and back.
double log_of_percent(double pct);
double percent_of_log(double log_ratio);

}  // namespace ablate::gate
