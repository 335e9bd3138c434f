#include "tests/simulation/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/simulation/trial.h"

namespace ablate::simulation {
namespace {

constexpr double chance_of_false_alarm = 1e-4;

/// Rates over 500 trials, three standard errors to the bad side; what never occurred in them counts as 5 in
/// 10 000. Each trial's calibration has a single case, so its floor is wider than that of a suite (sweep.h).
struct promise {
  const char* setting;
  double effect_pct, max_slower, least_slower;
};

constexpr promise promises[] = {
    {"quiet", 0, 0.0005, 0},     {"quiet", 3, 1, 0.99},     {"quiet", 5, 1, 0.99},
    {"quiet", 10, 1, 0.99},      {"typical", 0, 0.0005, 0}, {"typical", 3, 1, 0.92},
    {"typical", 5, 1, 0.99},     {"typical", 10, 1, 0.99},  {"noisy", 0, 0.0005, 0},
    {"noisy", 3, 1, 0.21},       {"noisy", 5, 1, 0.92},     {"noisy", 10, 1, 0.97},
    {"disturbed", 0, 0.0005, 0}, {"disturbed", 3, 1, 0.89}, {"disturbed", 5, 1, 0.97},
    {"disturbed", 10, 1, 0.98},
};

double share(std::size_t count, std::size_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

std::string percent(std::size_t count, std::size_t of) {
  return fmt::format("{:.2f} %", 100 * share(count, of));
}

}  // namespace

const std::vector<double>& played_effects_pct() {
  static const std::vector<double> effects = {0, 3, 5, 10};
  return effects;
}

cell play_cell(const gate::gate_policy& policy, const noise_setting& noise, double effect_pct,
               std::size_t trials, std::uint64_t seed) {
  cell out{noise.name, effect_pct};
  random_stream random(seed, fmt::format("{} {}", noise.name, effect_pct));
  for (; out.trials < trials; ++out.trials) {
    const trial_outcome made = play(policy, noise, effect_pct, random);
    out.slower += made.word == gate::verdict::slower;
    out.faster += made.word == gate::verdict::faster;
    out.inconclusive += made.word == gate::verdict::inconclusive;
    out.flagged += made.flagged;
    out.launches += made.launches;
    out.test_of_stored += made.test_of_stored;
    out.test_of_one_session += made.test_of_one_session;
  }
  return out;
}

std::string rates_table(const std::vector<cell>& cells) {
  std::string out =
      "| noise | effect | trials | gate: SLOWER | FASTER | INCONCLUSIVE | flagged | launches a case | "
      "U test, stored launch | U test, one session |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const cell& c : cells)
    out += fmt::format("| {} | {:+g} % | {} | {} | {} | {} | {} | {:.1f} | {} | {} |\n", c.setting,
                       c.effect_pct, c.trials, percent(c.slower, c.trials), percent(c.faster, c.trials),
                       percent(c.inconclusive, c.trials), percent(c.flagged, c.trials),
                       share(c.launches, c.trials), percent(c.test_of_stored, c.trials),
                       percent(c.test_of_one_session, c.trials));
  return out;
}

double binomial_cumulative(std::size_t k, std::size_t n, double p) {
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  double sum = 0;
  const double size = static_cast<double>(n);
  for (std::size_t i = 0; i <= k; ++i) {
    const double x = static_cast<double>(i);
    sum += std::exp(std::lgamma(size + 1) - std::lgamma(x + 1) - std::lgamma(size - x + 1) + x * std::log(p) +
                    (size - x) * std::log1p(-p));
  }
  return std::min(1.0, sum);
}

std::vector<std::string> broken_promises(const std::vector<cell>& cells) {
  std::vector<std::string> out;
  for (const cell& c : cells)
    for (const promise& known : promises) {
      if (known.setting != c.setting || known.effect_pct != c.effect_pct) continue;
      const double so_many_or_more =
          c.slower == 0 ? 1 : 1 - binomial_cumulative(c.slower - 1, c.trials, known.max_slower);
      if (!(so_many_or_more >= chance_of_false_alarm))
        out.push_back(fmt::format("{}, {:+g} %: {} of {} found SLOWER, at most {:g} % expected", c.setting,
                                  c.effect_pct, c.slower, c.trials, 100 * known.max_slower));
      if (!(binomial_cumulative(c.slower, c.trials, known.least_slower) >= chance_of_false_alarm))
        out.push_back(fmt::format("{}, {:+g} %: {} of {} found SLOWER, at least {:g} % expected", c.setting,
                                  c.effect_pct, c.slower, c.trials, 100 * known.least_slower));
    }
  return out;
}

}  // namespace ablate::simulation
