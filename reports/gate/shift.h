#pragma once

#include <cstddef>
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

/// Paired differences by the order of their pair: what the second launch of a pair gains or loses by being
/// second raises the one group as much as it lowers the other.
struct ordered_pairs {
  std::vector<double> baseline_first, candidate_first;
};

/// The analysis of a two-period crossover (Hodges-Lehmann, and the exact rank-sum test): the median of the
/// averages of one difference of each order, with the interval of all centers that the test does not reject
/// at 1 - confidence. An effect of the order cancels in every average. Where all pairs have one order nothing
/// cancels: the estimate is that of paired_shift, its interval unbounded, and p is 1. Errors as above.
shift crossover_shift(const ordered_pairs&, double confidence);
double crossover_p_above(const ordered_pairs&, double threshold);
double crossover_p_below(const ordered_pairs&, double threshold);
/// The smallest p that so many pairs of alternating order can have.
double smallest_crossover_p(std::size_t pairs);

/// Hodges-Lehmann estimate of how far `second` is above `first` (the median of all pairwise differences)
/// with the interval that the Mann-Whitney test does not reject. Errors as above.
shift unpaired_shift(const std::vector<double>& first, const std::vector<double>& second, double confidence);

}  // namespace ablate::gate
