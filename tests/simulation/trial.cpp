#include "tests/simulation/trial.h"

#include "reports/gate/decide.h"
#include "reports/statistics/quantile.h"
#include "reports/statistics/rank_sum.h"

#include <cmath>

namespace ablate::simulation {
namespace {

/// Two binaries, as log changes of the time.
struct binaries {
  double baseline, candidate;
};

/// Alternating pairs of one session: AB, BA, AB, …
std::vector<gate::paired_time> take_session(const gate::gate_policy& policy, const noise_setting& noise,
                                            binaries of, std::size_t pairs, random_stream& random) {
  session launches(noise, 2 * pairs, random);
  const auto take = [&](double effect) {
    return gate::median(launches.launch(effect, policy.launch.samples));
  };
  std::vector<gate::paired_time> out(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    if (i % 2 == 0) out[i].baseline_us = take(of.baseline);
    out[i].candidate_us = take(of.candidate);
    if (i % 2 == 1) out[i].baseline_us = take(of.baseline);
  }
  return out;
}

double calibrated_floor_pct(const gate::gate_policy& policy, const noise_setting& noise,
                            random_stream& random) {
  const binaries links = {relinked(noise, random), relinked(noise, random)};
  std::vector<double> effects;
  for (std::size_t run = 0; run < policy.calibration.runs; ++run) {
    std::vector<double> differences;
    for (const auto& pair : take_session(policy, noise, links, policy.calibration.pairs, random))
      differences.push_back(std::log(pair.candidate_us / pair.baseline_us));
    effects.push_back(gate::paired_shift(differences, policy.confirm.interval_confidence).estimate);
  }
  return gate::floor_pct_of(policy, effects);
}

bool rejects(const std::vector<double>& a, const std::vector<double>& b) {
  return gate::mann_whitney_p(a, b) < 0.05;
}

}  // namespace

trial_outcome play(const gate::gate_policy& policy, const noise_setting& noise, double effect_pct,
                   random_stream& random) {
  const double floor_pct = calibrated_floor_pct(policy, noise, random);
  const binaries of = {relinked(noise, random), relinked(noise, random) + gate::log_of_percent(effect_pct)};
  trial_outcome out{};
  const auto take = [&](gate::phase, const std::vector<std::size_t>& cases, std::size_t pairs) {
    out.launches += 2 * pairs;
    return std::vector<gate::taken_pairs>(
        cases.size(), gate::taken_pairs{take_session(policy, noise, of, pairs, random), "", ""});
  };
  const gate::gate_decision decision = gate::decide({{"case", floor_pct, false}}, policy, take);
  out.word = decision.cases.front().word;
  out.flagged = decision.flagged > 0;

  const std::size_t samples = policy.launch.samples;
  session earlier(noise, 1, random), now(noise, 2, random);
  const std::vector<double> stored = earlier.launch(of.baseline, samples);
  const std::vector<double> baseline = now.launch(of.baseline, samples);
  const std::vector<double> candidate = now.launch(of.candidate, samples);
  out.test_of_stored = rejects(stored, candidate);
  out.test_of_one_session = rejects(baseline, candidate);
  return out;
}

}  // namespace ablate::simulation
