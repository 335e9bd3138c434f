#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ablate::history {

/// The point from which a sequence is at another level.
struct change_point {
  std::size_t index;  ///< of the first point after the change
  double ratio;       ///< level after it over the level before it
  double p;           ///< of the permutation test
};

struct change_options {
  double level = 0.001;              ///< the largest p-value of a change
  double least_effect = 0.015;       ///< the smallest |ratio - 1|
  std::size_t permutations = 1999;   ///< more than 1 / level, or nothing can be found
  std::size_t shortest_segment = 3;  ///< points between two changes: one odd night is not a change
  std::uint64_t seed = 1;            ///< for the permutations: the same points give the same changes
};

/// Change points of a sequence of medians in date order: E-divisive (Matteson and James, "A nonparametric
/// approach for multiple change point analysis of multivariate data", 2014) on the logarithms, with the
/// energy statistic at exponent 1. Each segment is split where the statistic is largest, if the share of
/// permutations of its points with as large a statistic is at most `level`. Neighboring segments are merged
/// again if the Hodges-Lehmann shift between them is below `least_effect`. By increasing index.
std::vector<change_point> change_points(std::span<const double> medians, const change_options& = {});

}  // namespace ablate::history
