#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/gate/policy.h"
#include "tests/simulation/noise_model.h"

namespace ablate::simulation {

/// The slow-downs of one case of a gate, in percent; without one, what is found is a false alarm.
inline constexpr std::array<double, 4> swept_effects_pct = {0, 3, 5, 10};

/// What whole gates of 28 cases said in one setting, each after a calibration of its own.
struct swept_gates {
  std::string setting;
  std::size_t gates = 0;
  std::size_t alarms = 0;  ///< a case of identical code is SLOWER
  std::size_t passed = 0;  ///< exit code 0 on identical code
  std::size_t passed_strictly = 0;
  std::size_t ungated_cases = 0;  ///< TOO_NOISY by their calibration
  double mean_delta_pct = 0;      ///< of the cases that are gated
  /// Of gates in which one case is slower by swept_effects_pct: it is SLOWER.
  std::array<std::size_t, swept_effects_pct.size()> found = {};
};

inline constexpr std::size_t swept_cases = 28;

/// Plays `gates` gates for each effect; the result depends only on the seed and the setting.
swept_gates sweep(const gate::gate_policy&, const noise_setting&, std::size_t gates, std::uint64_t seed);

/// All of swept_settings().
std::vector<swept_gates> sweep_all(const gate::gate_policy&, std::size_t gates, std::uint64_t seed);

/// The table in Markdown.
std::string sweep_table(const std::vector<swept_gates>&);

/// A line for each limit that the gates of a setting break by more than chance allows: false alarms, and
/// slow-downs that are not found.
std::vector<std::string> broken_limits(const std::vector<swept_gates>&);

/// A line for each worse policy that breaks none of the limits: then they hold nothing.
std::vector<std::string> surviving_mutants(const gate::gate_policy&, std::size_t gates, std::uint64_t seed);

}  // namespace ablate::simulation
