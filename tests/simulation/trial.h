#pragma once

#include <cstddef>
#include <vector>

#include "reports/gate/decide.h"
#include "reports/gate/policy.h"
#include "reports/gate/verdict.h"
#include "tests/simulation/noise_model.h"

namespace ablate::simulation {

/// Two binaries, as log changes of the time.
struct binaries {
  double baseline, candidate;
};

/// Whether a launch is drawn sample by sample or by its median, which costs a thirtieth.
enum class drawn { samples, medians };

/// Alternating pairs of one session: AB, BA, AB, …
std::vector<gate::paired_time> take_session(const gate::gate_policy&, const noise_setting&, binaries,
                                            std::size_t pairs, random_stream&, drawn);

/// The effects that a calibration finds in one case, with builds of its own, a run each.
std::vector<double> calibrated_effects(const gate::gate_policy&, const noise_setting&, random_stream&, drawn,
                                       std::size_t place = 1);

/// The outcome of one case whose candidate is slower by a known effect.
struct trial_outcome {
  gate::verdict word;
  bool flagged;
  std::size_t launches;      ///< of both binaries, without calibration
  bool test_of_stored;       ///< Mann-Whitney, p < 0.05: a stored launch against one of another session
  bool test_of_one_session;  ///< the same, for two launches of one session
};

/// Calibrates the case's A/A floor from several links of the baseline, then plays the policy on a baseline
/// and a candidate slower by `effect_pct`, and beside it the usual test on single launches.
trial_outcome play(const gate::gate_policy&, const noise_setting&, double effect_pct, random_stream&);

}  // namespace ablate::simulation
