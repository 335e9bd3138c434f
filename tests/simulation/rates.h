#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/gate/policy.h"
#include "tests/simulation/noise_model.h"

namespace ablate::simulation {

/// How often each thing happened in the trials of one setting and effect.
struct cell {
  std::string setting;
  double effect_pct;
  std::size_t trials = 0, slower = 0, faster = 0, inconclusive = 0, flagged = 0, launches = 0;
  std::size_t test_of_stored = 0, test_of_one_session = 0;
};

/// Plays `trials` trials; the result depends only on the seed, the setting and the effect.
cell play_cell(const gate::gate_policy&, const noise_setting&, double effect_pct, std::size_t trials,
               std::uint64_t seed);

/// The effects played, in percent: none, and those that a gate should find.
const std::vector<double>& played_effects_pct();

/// The table of all cells in Markdown.
std::string rates_table(const std::vector<cell>&);

/// P(X <= k) for the number X of successes in n trials of probability p.
double binomial_cumulative(std::size_t k, std::size_t n, double p);

/// Checks the cells against the known rates of the shipped policy: a line for each rate that is worse than
/// chance allows (one in 10 000, if the known rate still holds).
std::vector<std::string> broken_promises(const std::vector<cell>&);

}  // namespace ablate::simulation
