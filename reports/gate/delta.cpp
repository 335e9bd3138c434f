#include "reports/gate/delta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics/quantile.h"

namespace ablate::gate {

double floor_pct_of(const gate_policy& policy, std::vector<double> effects) {
  for (double& effect : effects) effect = std::fabs(effect);
  return percent_of_log(quantile(std::move(effects), policy.calibration.quantile));
}

double log_of_percent(double pct) { return std::log1p(pct / 100); }

double percent_of_log(double log_ratio) { return 100 * std::expm1(log_ratio); }

effect_limit limit_of(const gate_policy& policy, double baseline_us, std::optional<double> floor_pct) {
  const gate_policy::delta_rules& rules = policy.delta;
  const bool is_long = rules.dedicated_gpu && baseline_us > rules.dedicated_above_us;
  const double minimum = is_long ? rules.dedicated_minimum_pct : rules.minimum_pct;
  const double delta_pct = std::max(minimum, floor_pct.value_or(0));
  return {delta_pct, log_of_percent(delta_pct), floor_pct.value_or(0) > rules.too_noisy_pct,
          floor_pct.has_value()};
}

std::string why_too_noisy(const gate_policy& policy, double floor_pct) {
  return fmt::format("too noisy to gate: the A/A floor of {:.2g} % is above {:g} %", floor_pct,
                     policy.delta.too_noisy_pct);
}

}  // namespace ablate::gate
