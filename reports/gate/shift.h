#pragma once

#include <limits>
#include <vector>

namespace ablate::gate {

/// The bound where there are too few values for one.
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// A shift between two sides with its confidence interval, in the unit of the values; for log times it is the
/// log of their ratio.
struct shift {
  double estimate, low, high;
};

/// Hodges-Lehmann estimate of the center of paired differences (the median of their Walsh averages) with the
/// interval of all centers that the exact signed-rank test does not reject at 1 - confidence. Ties make the
/// interval err on the wide side. Throws std::invalid_argument for no differences, a non-finite one, or a
/// confidence outside (0, 1).
shift paired_shift(const std::vector<double>& differences, double confidence);

/// One-sided bounds at `level`: the center is above (below) it, except by chance of at most `level`.
double paired_lower_bound(const std::vector<double>& differences, double level);
double paired_upper_bound(const std::vector<double>& differences, double level);

/// The exact one-sided p-value of "the center is at most `threshold`" ("at least", for below). A Walsh
/// average equal to the threshold counts for the null hypothesis. At most `level` where the bound above
/// excludes it.
double paired_p_above(const std::vector<double>& differences, double threshold);
double paired_p_below(const std::vector<double>& differences, double threshold);

/// Hodges-Lehmann estimate of how far `second` lies above `first` (the median of all pairwise differences)
/// with the interval that the Mann-Whitney test does not reject. Errors as above.
shift unpaired_shift(const std::vector<double>& first, const std::vector<double>& second, double confidence);

}  // namespace ablate::gate
