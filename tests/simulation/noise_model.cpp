#include "tests/simulation/noise_model.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace ablate::simulation {
namespace {

constexpr double case_us = 100;

const noise_setting quiet{.name = "quiet",
                          .sample_pct = 0.3,
                          .tail_share = 0.02,
                          .tail_pct = 1,
                          .launch_pct = 0.1,
                          .mode_share = 0.175,
                          .mode_pct = 0.35,
                          .session_pct = 0.2,
                          .drift_pct = 0.1,
                          .relink_pct = 0.1,
                          .disturbed_share = 0};

const noise_setting typical{.name = "typical",
                            .sample_pct = 1.5,
                            .tail_share = 0.05,
                            .tail_pct = 5,
                            .launch_pct = 0.5,
                            .mode_share = 0.05,
                            .mode_pct = 1.5,
                            .session_pct = 2,
                            .drift_pct = 1,
                            .relink_pct = 0.2,
                            .disturbed_share = 0};

const noise_setting noisy{.name = "noisy",
                          .sample_pct = 3,
                          .tail_share = 0.1,
                          .tail_pct = 10,
                          .launch_pct = 1.2,
                          .mode_share = 0.15,
                          .mode_pct = 3,
                          .session_pct = 4,
                          .drift_pct = 2,
                          .relink_pct = 0.2,
                          .disturbed_share = 0};

noise_setting disturbed(noise_setting calm) {
  calm.name = "disturbed";
  calm.disturbed_share = 0.25;
  return calm;
}

bool chance(double share, random_stream& random) { return random.uniform() < share; }

}  // namespace

const std::vector<noise_setting>& noise_settings() {
  static const std::vector<noise_setting> settings = {quiet, typical, noisy, disturbed(typical)};
  return settings;
}

const std::vector<noise_setting>& swept_settings() {
  static const std::vector<noise_setting> settings = [] {
    std::vector<noise_setting> out;
    const auto add = [&](const std::string& name, const auto& change) {
      out.push_back(quiet);
      out.back().name = name;
      change(out.back());
    };
    for (const double pct : {0.0, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0})
      add(fmt::format("placement {:g} %", pct), [&](noise_setting& n) { n.relink_pct = pct; });
    add("placement 0.5 %, uneven", [](noise_setting& n) { n.relink_pct = 0.5, n.uneven = 3; });
    add("sticky +5 % in 1 of 100", [](noise_setting& n) { n.sticky_share = 0.01, n.sticky_pct = 5; });
    add("second of a pair +4 %", [](noise_setting& n) { n.second_pct = 4; });
    add("drift 10 %", [](noise_setting& n) { n.drift_pct = 10; });
    add("bursts in 1 session of 4", [](noise_setting& n) { n.disturbed_share = 0.25; });
    return out;
  }();
  return settings;
}

double gaussian(random_stream& random) {
  return std::sqrt(-2 * std::log1p(-random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
}

double relinked(const noise_setting& noise, random_stream& random, std::size_t place) {
  const double more = place % 4 == 0 ? noise.uneven : 1;
  return more * noise.relink_pct / 100 * gaussian(random) +
         (chance(noise.sticky_share, random) ? std::log1p(noise.sticky_pct / 100) : 0);
}

session::session(const noise_setting& noise, std::size_t launches, random_stream& random)
    : noise_(noise),
      random_(random),
      level_(noise.session_pct / 100 * random.normal()),
      drift_per_launch_(noise.drift_pct / 100 * random.normal() / static_cast<double>(launches)),
      slowed_(launches, 0.0) {
  if (!chance(noise.disturbed_share, random)) return;
  const std::uint32_t disturbed = 1 + random.below(4);
  for (std::uint32_t i = 0; i < disturbed; ++i)
    slowed_[random.below(static_cast<std::uint32_t>(launches))] = std::log1p(random.uniform(0.05, 0.30));
}

double session::next_center(double log_effect) {
  const double mode = chance(noise_.mode_share, random_) ? std::log1p(noise_.mode_pct / 100) : 0;
  const double center = level_ + drift_per_launch_ * static_cast<double>(taken_) + slowed_.at(taken_) + mode +
                        noise_.launch_pct / 100 * random_.normal() + log_effect;
  ++taken_;
  return center;
}

double session::median_of_launch(double log_effect, std::size_t samples) {
  const double scatter =
      noise_.sample_pct / 100 * std::sqrt(std::numbers::pi / 2 / static_cast<double>(samples));
  const double center = next_center(log_effect);
  return case_us * std::exp(center + scatter * random_.normal());
}

std::vector<double> session::launch(double log_effect, std::size_t samples) {
  const double center = next_center(log_effect);
  std::vector<double> out;
  for (std::size_t i = 0; i < samples; ++i) {
    double log_time = center + noise_.sample_pct / 100 * random_.normal();
    if (chance(noise_.tail_share, random_))
      log_time -= noise_.tail_pct / 100 * std::log1p(-random_.uniform());
    out.push_back(case_us * std::exp(log_time));
  }
  return out;
}

}  // namespace ablate::simulation
