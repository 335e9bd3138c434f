#include "tests/simulation/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

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
  for (std::size_t i = 0; i < swept_cases; ++i) out.push_back({fmt::format("case {}", i), floors[i], false});
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

/// What holds in a setting: rates over 500 gates, three standard errors to the bad side, except for the false
/// alarms of placement, which are what the policy promises.
struct limit {
  const char* setting;
  double max_alarms, least_passed, max_passed;
  std::array<double, 3> least_found;  ///< of +3, +5 and +10 %
};

constexpr limit limits[] = {
    {"placement 0 %", 0.01, 0.98, 1, {0.98, 0.98, 0.98}},
    {"placement 0.1 %", 0.01, 0.98, 1, {0.98, 0.98, 0.98}},
    {"placement 0.2 %", 0.01, 0.98, 1, {0.98, 0.98, 0.98}},
    {"placement 0.3 %", 0.01, 0.98, 1, {0.92, 0.98, 0.98}},
    {"placement 0.5 %", 0.01, 0.97, 1, {0.47, 0.93, 0.96}},
    {"placement 0.75 %", 0.01, 0.41, 1, {0.11, 0.56, 0.73}},
    {"placement 1 %", 0.01, 0, 0.03, {0.01, 0.09, 0.18}},
    {"placement 1.5 %", 0.01, 0, 0.01, {0, 0, 0}},
    {"placement 2 %", 0.01, 0, 0.01, {0, 0, 0}},
    {"placement 0.5 %, uneven", 0.13, 0.30, 1, {0.34, 0.90, 0.94}},
    {"sticky +5 % in 1 of 100", 0.31, 0.69, 1, {0.92, 0.93, 0.93}},
    {"second of a pair +4 %", 0.01, 0.98, 1, {0.98, 0.98, 0.98}},
    {"drift 10 %", 0.01, 0.98, 1, {0.98, 0.98, 0.98}},
    {"bursts in 1 session of 4", 0.01, 0.98, 1, {0.93, 0.97, 0.98}},
};

constexpr double chance_of_false_refusal = 1e-4;

bool is_above(std::size_t count, std::size_t gates, double most) {
  return count > 0 && 1 - binomial_cumulative(count - 1, gates, most) < chance_of_false_refusal;
}

bool is_below(std::size_t count, std::size_t gates, double least) {
  return binomial_cumulative(count, gates, least) < chance_of_false_refusal;
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
      "| noise | gates | false alarm | pass | pass, strict | cases not gated | mean delta | finds +3 % | +5 "
      "% | "
      "+10 % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const swept_gates& of : all) {
    const auto percent = [&](std::size_t count, std::size_t per_gate = 1) {
      return fmt::format("{:.1f} %",
                         100 * static_cast<double>(count) / static_cast<double>(of.gates * per_gate));
    };
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {:.2f} % | {} | {} | {} |\n", of.setting, of.gates,
                       percent(of.alarms), percent(of.passed), percent(of.passed_strictly),
                       percent(of.ungated_cases, swept_cases), of.mean_delta_pct, percent(of.found[1]),
                       percent(of.found[2]), percent(of.found[3]));
  }
  return out;
}

std::vector<std::string> broken_limits(const std::vector<swept_gates>& all) {
  std::vector<std::string> out;
  const auto refuse = [&](const swept_gates& of, std::size_t count, const std::string& what) {
    out.push_back(fmt::format("{}: {} of {} gates {}", of.setting, count, of.gates, what));
  };
  for (const swept_gates& of : all)
    for (const limit& known : limits) {
      if (known.setting != of.setting) continue;
      if (is_above(of.alarms, of.gates, known.max_alarms))
        refuse(of, of.alarms, fmt::format("alarm, at most {:g} % expected", 100 * known.max_alarms));
      if (is_below(of.passed, of.gates, known.least_passed))
        refuse(of, of.passed, fmt::format("pass, at least {:g} % expected", 100 * known.least_passed));
      if (is_above(of.passed, of.gates, known.max_passed))
        refuse(of, of.passed, fmt::format("pass, at most {:g} % expected", 100 * known.max_passed));
      for (std::size_t e = 0; e < known.least_found.size(); ++e)
        if (is_below(of.found[e + 1], of.gates, known.least_found[e]))
          refuse(of, of.found[e + 1],
                 fmt::format("find +{:g} %, at least {:g} % expected", swept_effects_pct[e + 1],
                             100 * known.least_found[e]));
    }
  return out;
}

std::vector<swept_gates> sweep_all(const gate::gate_policy& policy, std::size_t gates, std::uint64_t seed) {
  std::vector<swept_gates> out;
  for (const noise_setting& noise : swept_settings()) out.push_back(sweep(policy, noise, gates, seed));
  return out;
}

std::vector<std::string> surviving_mutants(const gate::gate_policy& policy, std::size_t gates,
                                           std::uint64_t seed) {
  struct mutant {
    const char* name;
    std::function<void(gate::gate_policy&)> change;
  };
  const mutant mutants[] = {
      {"floors that ignore placement", [](auto& p) { p.calibration.alarm_share = 0.9; }},
      {"no case too noisy to gate", [](auto& p) { p.delta.too_noisy_pct = 100; }},
      {"a smallest effect of 4 %", [](auto& p) { p.delta.minimum_pct = 4; }},
  };
  std::vector<std::string> out;
  for (const mutant& m : mutants) {
    gate::gate_policy changed = policy;
    m.change(changed);
    if (broken_limits(sweep_all(changed, gates, seed)).empty())
      out.push_back(fmt::format("no limit notices {}", m.name));
  }
  return out;
}

}  // namespace ablate::simulation
