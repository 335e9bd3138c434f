#include "tests/simulation/noise_model.h"

#include <cmath>

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

double relinked(const noise_setting& noise, random_stream& random) {
  return noise.relink_pct / 100 * random.normal();
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

std::vector<double> session::launch(double log_effect, std::size_t samples) {
  const double mode = chance(noise_.mode_share, random_) ? std::log1p(noise_.mode_pct / 100) : 0;
  const double center = level_ + drift_per_launch_ * static_cast<double>(taken_) + slowed_.at(taken_) + mode +
                        noise_.launch_pct / 100 * random_.normal() + log_effect;
  ++taken_;
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
