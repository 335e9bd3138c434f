#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ablate::gate {

/// Wilcoxon's signed-rank statistic W+ of n differences: the sum of the ranks of the positive ones, 0 to
/// n(n+1)/2. Under the null hypothesis (symmetric around zero, no ties) its distribution is exact: P(W+ <= w)
/// for w = 0, 1, … n(n+1)/2. Costs n³ / 6 additions.
std::vector<double> signed_rank_cumulative(std::size_t n);

/// The largest w with P(W+ <= w) <= level; nothing if even P(W+ = 0) = 2^-n is above it.
std::optional<std::size_t> signed_rank_critical(std::size_t n, double level);

}  // namespace ablate::gate
