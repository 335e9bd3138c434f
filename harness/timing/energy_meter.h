#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ablate {

/// How long a counter of energy is watched.
struct energy_rule {
  double settle_s = 0.3;   ///< steps before are of the work that came before, or of clocks that still change
  double metered_s = 2.0;  ///< at least, between the first step that counts and the last
  std::size_t least_steps = 16;
  double longest_s = 8;  ///< all in all
};

struct metered_power {
  double mean_w;
  double error_w;  ///< half of the mean's 95 % interval
  double seconds;  ///< between the first step that counts and the last
  double step_j;   ///< median step of the counter
  std::size_t steps;
};

/// Mean power from a counter of energy that moves in steps, such as NVML's. Between two of its steps the
/// energy is known exactly and the time to within a look, so that only steps are looked at: what the counter
/// says between them is the energy of a moment ago.
class energy_meter {
 public:
  explicit energy_meter(const energy_rule& rule) : rule_(rule) {}

  /// One look, `seconds` after the work began.
  void look(double seconds, double joules);
  bool enough() const;
  bool time_is_up(double seconds) const { return seconds > rule_.longest_s; }

  /// Nothing if the counter did not move often enough. The interval is Student's over eight stretches in time
  /// order, since power in neighboring steps is alike.
  std::optional<metered_power> found() const;

 private:
  struct step {
    double seconds, joules;
  };

  energy_rule rule_;
  std::optional<double> last_joules_;
  std::vector<step> steps_;  ///< those that count
};

}  // namespace ablate
