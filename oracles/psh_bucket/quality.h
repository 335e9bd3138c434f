#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// How good a right answer is. What needs rows exists after `scatter` only; nothing exists without points.
struct quality_figures {
  /// slice_locality (kernels/common/locality.h) of the slices of `capacity` rows, in the coordinates' unit.
  /// Padding does not count, nor do slices with points of two instances.
  std::optional<double> locality_rms;
  /// Mean over the slices of the share of the bucket that has most of a slice's points.
  std::optional<double> purity;
  std::optional<double> at_home_share;  ///< of the points: in the bucket to which they hash
  std::optional<double> bin_share;      ///< of the points: in bucket 0; not in strict mode
  std::optional<std::int64_t> largest_bucket, buckets_over_capacity;
};

/// Of the outputs of a problem with host pointers; `homes` are home_buckets(p).
quality_figures quality_of(const problem& p, std::span<const std::uint16_t> homes);

}  // namespace ablate::psh_bucket
