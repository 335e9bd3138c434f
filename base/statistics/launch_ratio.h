#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ablate::gate {

/// The logarithm of one case's time over another's, both measured in one launch of a program, thus on one
/// GPU.
struct launched_ratio {
  std::uint64_t specimen;  ///< the GPU, by any number of its own
  double log_ratio;
  double own_error = 0;  ///< its standard error by the launch's samples alone
};

/// The ratio over launches, in logarithms, with an interval that covers the average of further launches.
struct launch_ratio {
  double estimate, low, high;
  std::size_t launches, specimens;
  double error = 0;         ///< standard error of the estimate by the spread of the launches
  std::size_t freedom = 0;  ///< of that error; 0 for one launch, which has none
  double own_error = 0;     ///< standard error of the estimate by the launches' samples alone

  /// The greatest probability of an estimate as high as this one, or higher, where the true ratio is at most
  /// `bound`. It is below (1 - confidence) / 2 where all of the interval is above the bound. One for one
  /// launch.
  double p_above(double bound) const;
  /// The same for an estimate this low, where the true ratio is at least `bound`.
  double p_below(double bound) const;
};

/// The mean over launches with Student's interval: what a launch draws at random (placement, clocks, its
/// samples) is in the spread of the launches, so that samples of a launch need not be drawn again. From three
/// GPUs on the model has a component for them (a one-way random-effects analysis of variance with
/// Satterthwaite's degrees of freedom): launches of a GPU that is off are no independent witnesses. Two GPUs
/// are too few to tell their spread from that of launches, and count as launches alone. One launch bounds
/// nothing: its interval is infinite. Launches that agree by chance, or since a timer has coarse ticks, are
/// no surer than their samples. Throws std::invalid_argument for no launch, a ratio or an error that is not
/// finite, or a confidence outside of (0, 1).
launch_ratio ratio_over_launches(const std::vector<launched_ratio>&, double confidence);

}  // namespace ablate::gate
