#include "tests/simulation/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/gate/aa_floors.h"
#include "reports/gate/exit_code.h"
#include "tests/simulation/rates.h"
#include "tests/simulation/trial.h"

namespace ablate::simulation {
namespace {

std::vector<gate::gated_case> calibrated_cases(const gate::gate_policy& policy, const noise_setting& noise,
                                               random_stream& random) {
  std::vector<std::vector<double>> effects;
  for (std::size_t i = 0; i < swept_cases; ++i)
    effects.push_back(calibrated_effects(policy, noise, random, drawn::medians, i));
  const std::vector<double> floors = gate::floors_pct_of(policy, effects, policy.calibration.builds);
  std::vector<gate::gated_case> out;
  for (std::size_t i = 0; i < swept_cases; ++i)
    out.push_back({fmt::format("case {}", i), floors[i], false});
  return out;
}

/// The gate of two builds of its own; the candidate's case 1 is slower by the effect.
gate::gate_decision gated(const gate::gate_policy& policy, const noise_setting& noise,
                          const std::vector<gate::gated_case>& cases, double effect_pct,
                          random_stream& random) {
  std::vector<binaries> builds;
  for (std::size_t i = 0; i < swept_cases; ++i)
    builds.push_back({relinked(noise, random, i), relinked(noise, random, i)});
  builds[1].candidate += gate::log_of_percent(effect_pct);
  return gate::decide(
      cases, policy, [&](gate::phase, const std::vector<std::size_t>& places, std::size_t pairs) {
        std::vector<gate::taken_pairs> out;
        for (const std::size_t place : places)
          out.push_back({take_session(policy, noise, builds[place], pairs, random, drawn::medians), "", ""});
        return out;
      });
}

bool is_slower(const gate::case_decision& c) { return c.can_fail() && c.word == gate::verdict::slower; }

}  // namespace

swept_gates sweep(const gate::gate_policy& policy, const noise_setting& noise, std::size_t gates,
                  std::uint64_t seed) {
  swept_gates out{.setting = noise.name};
  random_stream random(seed, "sweep " + noise.name);
  double deltas = 0;
  std::size_t gated_cases = 0;
  for (; out.gates < gates; ++out.gates) {
    const std::vector<gate::gated_case> cases = calibrated_cases(policy, noise, random);
    for (std::size_t e = 0; e < swept_effects_pct.size(); ++e) {
      const gate::gate_decision made = gated(policy, noise, cases, swept_effects_pct[e], random);
      out.found[e] += is_slower(made.cases[1]);
      if (e > 0) continue;
      out.alarms += std::any_of(made.cases.begin(), made.cases.end(), is_slower);
      out.passed += gate::exit_code_of(made, policy.pass, {}, false) == 0;
      out.passed_strictly += gate::exit_code_of(made, policy.pass, {}, true) == 0;
      for (const gate::case_decision& c : made.cases) {
        out.ungated_cases += c.limit.too_noisy;
        if (c.limit.too_noisy) continue;
        deltas += c.limit.delta_pct;
        ++gated_cases;
      }
    }
  }
  out.mean_delta_pct = gated_cases == 0 ? 0 : deltas / static_cast<double>(gated_cases);
  return out;
}

std::string sweep_table(const std::vector<swept_gates>& all) {
  std::string out =
      "| noise | gates | false alarm | pass | pass, strict | cases not gated | mean delta | finds +3 % | +5 % | "
      "+10 % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const swept_gates& of : all) {
    const auto percent = [&](std::size_t count, std::size_t per_gate = 1) {
      return fmt::format("{:.1f} %", 100 * static_cast<double>(count) / static_cast<double>(of.gates * per_gate));
    };
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {:.2f} % | {} | {} | {} |\n", of.setting, of.gates,
                       percent(of.alarms), percent(of.passed), percent(of.passed_strictly),
                       percent(of.ungated_cases, swept_cases), of.mean_delta_pct, percent(of.found[1]),
                       percent(of.found[2]), percent(of.found[3]));
  }
  return out;
}

}  // namespace ablate::simulation
