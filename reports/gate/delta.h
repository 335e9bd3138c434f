#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/gate/policy.h"

namespace ablate::gate {

/// The smallest effect on a case that counts.
struct effect_limit {
  double delta_pct;
  double delta;  ///< as the logarithm of a ratio of times
  bool too_noisy;
  bool calibrated;  ///< an A/A floor is known; otherwise delta is the policy's minimum
};

/// `baseline_us` is the case's time, `floor_pct` its A/A floor.
effect_limit limit_of(const gate_policy&, double baseline_us, std::optional<double> floor_pct);

/// One line, of a case that cannot fail for its floor.
std::string why_too_noisy(const gate_policy&, double floor_pct);

/// A case's A/A floor in percent: the policy's quantile of the absolute effects (logarithms of ratios) that
/// its calibration runs found. Throws std::invalid_argument without a run or for one that is not finite.
double floor_pct_of(const gate_policy&, std::vector<double> effects);

/// The logarithm of the ratio that is so many percent above 1, and back.
double log_of_percent(double pct);
double percent_of_log(double log_ratio);

}  // namespace ablate::gate
