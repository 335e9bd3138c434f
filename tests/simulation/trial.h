#pragma once

#include <cstddef>

#include "reports/gate/policy.h"
#include "reports/gate/verdict.h"
#include "tests/simulation/noise_model.h"

namespace ablate::simulation {

/// The outcome of one case whose candidate is slower by a known effect.
struct trial_outcome {
  gate::verdict word;
  bool flagged;
  std::size_t launches;      ///< of both binaries, without calibration
  bool test_of_stored;       ///< Mann-Whitney, p < 0.05: a stored launch against one of another session
  bool test_of_one_session;  ///< the same, for two launches of one session
};

/// Calibrates the case's A/A floor from two links of the baseline, then plays the policy on a baseline and a
/// candidate slower by `effect_pct`, and beside it the usual test on single launches.
trial_outcome play(const gate::gate_policy&, const noise_setting&, double effect_pct, random_stream&);

}  // namespace ablate::simulation
