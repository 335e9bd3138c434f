#pragma once

#include <limits>
#include <vector>

namespace ablate::gate {

/// A bound that so few values cannot give.
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// A shift between two sides with its confidence interval, in the unit of the values: of logarithms of times
/// it is the logarithm of their ratio.
struct shift {
  double estimate, low, high;
};

/// Hodges-Lehmann estimate of the center of paired differences (the median of their Walsh averages) with the
/// interval of all centers that the exact signed-rank test does not reject at 1 - confidence. With ties the
/// interval errs on the wide side. Throws std::invalid_argument for no difference, one that is not finite, or
/// a confidence outside (0, 1).
shift paired_shift(const std::vector<double>& differences, double confidence);

/// The one-sided bounds at `level`: the center is above (below) it, unless chance of at most `level` did it.
double paired_lower_bound(const std::vector<double>& differences, double level);
double paired_upper_bound(const std::vector<double>& differences, double level);

/// The exact one-sided p of "the center is at most `threshold`" ("at least", for below). A pair average that
/// equals the threshold speaks for the null hypothesis. At most `level` where the bound above excludes it.
double paired_p_above(const std::vector<double>& differences, double threshold);
double paired_p_below(const std::vector<double>& differences, double threshold);

/// Hodges-Lehmann estimate of how far `second` lies above `first` (the median of all differences between
/// them) with the interval that the Mann-Whitney test does not reject. Errors as above.
shift unpaired_shift(const std::vector<double>& first, const std::vector<double>& second, double confidence);

}  // namespace ablate::gate
