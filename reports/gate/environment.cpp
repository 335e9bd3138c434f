#include "reports/gate/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ablate::gate {
namespace {

std::optional<std::string> why_launch_is_broken(const launch_environment& launch, const char* side,
                                                const gate_policy::environment_rules& rules) {
  for (const std::string& reason : rules.refused_event_reasons)
    if (std::find(launch.event_reasons.begin(), launch.event_reasons.end(), reason) !=
        launch.event_reasons.end())
      return fmt::format("the clock of the {}'s launch was held down: {}", side, reason);
  if (launch.other_processes.value_or(0) > 0)
    return fmt::format("{} other processes computed on the GPU during the {}'s launch",
                       *launch.other_processes, side);
  if (launch.ecc_errors_during_it.value_or(0) != 0)
    return fmt::format("memory errors were counted during the {}'s launch", side);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> why_broken(const launch_environment& baseline, const launch_environment& candidate,
                                      const gate_policy& policy) {
  const gate_policy::environment_rules& rules = policy.environment;
  if (auto why = why_launch_is_broken(baseline, "baseline", rules)) return why;
  if (auto why = why_launch_is_broken(candidate, "candidate", rules)) return why;
  if (baseline.sm_clock_mhz && candidate.sm_clock_mhz) {
    const double a = *baseline.sm_clock_mhz, b = *candidate.sm_clock_mhz;
    if (!(std::fabs(b - a) <= rules.sm_clock_tolerance_pct / 100 * a))
      return fmt::format("the SM clock was {:g} MHz for the baseline and {:g} MHz for the candidate", a, b);
  }
  if (baseline.memory_clock_mhz && candidate.memory_clock_mhz &&
      *baseline.memory_clock_mhz != *candidate.memory_clock_mhz)
    return fmt::format("the memory clock was {:g} MHz for the baseline and {:g} MHz for the candidate",
                       *baseline.memory_clock_mhz, *candidate.memory_clock_mhz);
  return std::nullopt;
}

}  // namespace ablate::gate
