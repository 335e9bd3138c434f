#pragma once

#include <cstdint>

#include "kernels/pool/pool.h"

namespace ablate::pool {

/// What clusters are worth: how near to each other their members are, and how even they are.
struct cluster_quality {
  double mean_radius_m = 0, median_radius_m = 0, p99_radius_m = 0;  ///< RMS radii
  double singletons = 0;                                            ///< share of the clusters
  std::int64_t largest = 0;                                         ///< members
  double points_per_cluster = 0;
  std::int64_t max_not_full = 0;  ///< in buckets: clusters of a block with fewer than `ratio` members
};

/// For a problem with host pointers, an index, and at least one point.
cluster_quality quality_of(const problem&);

}  // namespace ablate::pool
