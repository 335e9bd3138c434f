#include "tests/simulation/trial.h"

#include "base/statistics/quantile.h"
#include "base/statistics/rank_sum.h"
#include "reports/gate/aa_floors.h"
#include "reports/gate/decide.h"

#include <cmath>

namespace ablate::simulation {
namespace {

double median_of_launch(session& launches, double effect, std::size_t samples, drawn how) {
  return how == drawn::samples ? gate::median(launches.launch(effect, samples))
                               : launches.median_of_launch(effect, samples);
}

bool rejects(const std::vector<double>& a, const std::vector<double>& b) {
  return gate::mann_whitney_p(a, b) < 0.05;
}

}  // namespace

std::vector<gate::paired_time> take_session(const gate::gate_policy& policy, const noise_setting& noise,
                                            binaries of, std::size_t pairs, random_stream& random,
                                            drawn how) {
  session launches(noise, 2 * pairs, random);
  const double second = std::log1p(noise.second_pct / 100);
  std::vector<gate::paired_time> out(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto take = [&](double effect, bool is_second) {
      return median_of_launch(launches, effect + (is_second ? second : 0), policy.launch.samples, how);
    };
    const bool baseline_first = out[i].baseline_first = i % 2 == 0;
    if (baseline_first) out[i].baseline_us = take(of.baseline, false);
    out[i].candidate_us = take(of.candidate, baseline_first);
    if (!baseline_first) out[i].baseline_us = take(of.baseline, true);
  }
  return out;
}

std::vector<double> calibrated_effects(const gate::gate_policy& policy, const noise_setting& noise,
                                       random_stream& random, drawn how, std::size_t place) {
  std::vector<double> builds(policy.calibration.builds);
  for (double& build : builds) build = relinked(noise, random, place);
  const std::vector<gate::pair_of_builds> runs = gate::pairs_of_builds(builds.size());
  std::vector<double> effects;
  for (std::size_t run = 0; run < policy.calibration.runs; ++run) {
    const auto& [first, second] = runs[run % runs.size()];
    const auto pairs =
        take_session(policy, noise, {builds[first], builds[second]}, policy.calibration.pairs, random, how);
    effects.push_back(
        gate::crossover_shift(gate::log_ratios(pairs), policy.confirm.interval_confidence).estimate);
  }
  return effects;
}

trial_outcome play(const gate::gate_policy& policy, const noise_setting& noise, double effect_pct,
                   random_stream& random) {
  const double floor_pct =
      gate::floors_pct_of(policy, {calibrated_effects(policy, noise, random, drawn::samples)},
                          policy.calibration.builds)
          .front();
  const binaries of = {relinked(noise, random), relinked(noise, random) + gate::log_of_percent(effect_pct)};
  trial_outcome out{};
  const auto take = [&](gate::phase, const std::vector<std::size_t>& cases, std::size_t pairs) {
    out.launches += 2 * pairs;
    return std::vector<gate::taken_pairs>(
        cases.size(),
        gate::taken_pairs{take_session(policy, noise, of, pairs, random, drawn::samples), "", ""});
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
