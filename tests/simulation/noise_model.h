#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/inputs/random.h"

namespace ablate::simulation {

/// How times scatter, in percent of the time unless said otherwise. Three layers: samples of a launch,
/// launches of a session, sessions (host, hour, temperature).
struct noise_setting {
  std::string name;
  double sample_pct;        ///< standard deviation within a launch
  double tail_share;        ///< of samples that are late …
  double tail_pct;          ///< … by an exponential time of this mean
  double launch_pct;        ///< standard deviation of launches
  double mode_share;        ///< of launches that run at another clock step …
  double mode_pct;          ///< … slower by this
  double session_pct;       ///< standard deviation of sessions, shared by both binaries
  double drift_pct;         ///< standard deviation of the drift over a session, from first launch to last
  double relink_pct;        ///< standard deviation of a build's placement: the same code, linked again
  double disturbed_share;   ///< of sessions with 1 to 4 launches slowed by 5 to 30 %
  double sticky_share = 0;  ///< of the cases of a build that run in another mode, in all its launches …
  double sticky_pct = 0;    ///< … slower by this
  double second_pct = 0;    ///< by which the second launch of a pair is slower
  double uneven = 1;        ///< one case in four has so many times the placement noise
};

/// quiet (a dedicated GPU, as measured on an H200), typical (unlocked clocks), noisy (a shared host) and
/// disturbed (typical, with disturbances).
const std::vector<noise_setting>& noise_settings();

/// The quiet setting with more of what differs from build to build, and whatever else a gate may meet.
const std::vector<noise_setting>& swept_settings();

/// Gaussian in its tails too, which random_stream::normal is not.
double gaussian(random_stream&);

/// What a build's placement makes of the time of its `place`th case, as a logarithm.
double relinked(const noise_setting&, random_stream&, std::size_t place = 1);

/// The launches of one session, in the order taken.
class session {
 public:
  session(const noise_setting&, std::size_t launches, random_stream&);

  /// Samples of the next launch, in microseconds: a case of 100 us changed by `log_effect`.
  std::vector<double> launch(double log_effect, std::size_t samples);
  /// The median of the next launch's samples, drawn as such: the Gaussian that the median of many nears.
  double median_of_launch(double log_effect, std::size_t samples);

 private:
  /// The logarithm of the next launch's time.
  double next_center(double log_effect);

  const noise_setting& noise_;
  random_stream& random_;
  double level_, drift_per_launch_;
  std::vector<double> slowed_;  ///< by launch, as a logarithm
  std::size_t taken_ = 0;
};

}  // namespace ablate::simulation
